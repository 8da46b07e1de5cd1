// Written by "npm run generate" from schemas/; never edited.
var __getOwnPropNames = Object.getOwnPropertyNames;
var __commonJS = (cb, mod) =>
  function __require() {
    try {
      return (mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports);
    } catch (e) {
      throw ((mod = 0), e);
    }
  };

// node_modules/ajv/dist/runtime/ucs2length.js
var require_ucs2length = __commonJS({
  'node_modules/ajv/dist/runtime/ucs2length.js'(exports) {
    'use strict';
    Object.defineProperty(exports, '__esModule', { value: true });
    function ucs2length(str) {
      const len = str.length;
      let length = 0;
      let pos = 0;
      let value;
      while (pos < len) {
        length++;
        value = str.charCodeAt(pos++);
        if (value >= 55296 && value <= 56319 && pos < len) {
          value = str.charCodeAt(pos);
          if ((value & 64512) === 56320) pos++;
        }
      }
      return length;
    }
    exports.default = ucs2length;
    ucs2length.code = 'require("ajv/dist/runtime/ucs2length").default';
  },
});

// <stdin>
var validateConfig = validate21;
var schema6 = {
  type: 'object',
  required: ['version', 'project'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    project: { type: 'string', pattern: '^[a-z0-9-]{1,40}$' },
    service: { $ref: '#/definitions/Service' },
    web_server: { $ref: '#/definitions/WebServer' },
    vars: { $ref: '#/definitions/Vars' },
    environments: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[a-z0-9-]{1,40}$' },
      additionalProperties: { $ref: '#/definitions/Environment' },
      patternProperties: { '^x-': {} },
    },
    defaults: { $ref: '#/definitions/Defaults' },
    apps: { $ref: '#/definitions/Apps' },
    tests: { $ref: '#/definitions/Tests' },
    moved: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
      additionalProperties: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
      patternProperties: { '^x-': {} },
    },
    limits: { $ref: '#/definitions/Limits' },
  },
  patternProperties: { '^x-': {} },
  definitions: {
    Service: {
      type: 'object',
      additionalProperties: false,
      properties: {
        base_url: { type: 'string', examples: ['https://api.example.com'] },
        auth_header: { type: 'string' },
        api_key_env: { type: 'string', pattern: '^LOADTESTS_[A-Z0-9_]+$' },
        token_prefix: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
        request_timeout: { type: ['string', 'number'] },
        settle: { type: ['string', 'number'] },
        allow_plain_http: { type: ['boolean', 'string'] },
      },
      patternProperties: { '^x-': {} },
    },
    WebServer: {
      type: 'object',
      additionalProperties: false,
      properties: {
        command: { type: 'string', minLength: 1 },
        url: { type: 'string', examples: ['http://127.0.0.1:4080/'] },
        reuse_existing: { type: ['boolean', 'string'] },
        timeout: { type: ['string', 'number'] },
      },
      patternProperties: { '^x-': {} },
    },
    Vars: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' },
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      patternProperties: { '^x-': {} },
    },
    Environment: {
      type: 'object',
      additionalProperties: false,
      properties: {
        service: { $ref: '#/definitions/Service' },
        web_server: { $ref: '#/definitions/WebServer' },
        vars: { $ref: '#/definitions/Vars' },
        defaults: { $ref: '#/definitions/Defaults' },
        apps: { $ref: '#/definitions/Apps' },
        tests: { $ref: '#/definitions/Tests' },
        limits: { $ref: '#/definitions/Limits' },
      },
      patternProperties: { '^x-': {} },
    },
    Apps: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
      additionalProperties: { oneOf: [{ type: 'string' }, { $ref: '#/definitions/App' }] },
      patternProperties: { '^x-': {} },
    },
    Verification: {
      type: 'object',
      additionalProperties: false,
      properties: {
        method: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
        directory: { type: 'string', minLength: 1 },
        command: { type: 'string', minLength: 1 },
        manual: { type: ['boolean', 'string'] },
        wait: { type: ['string', 'number'] },
      },
      patternProperties: { '^x-': {} },
    },
    Tests: {
      type: 'object',
      propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
      additionalProperties: { $ref: '#/definitions/Test' },
      patternProperties: { '^x-': {} },
    },
    Test: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        test_type: { enum: ['cycling', 'non-cycling', 'per-second'] },
        initial: { type: ['integer', 'string'], minimum: 0 },
        total: { type: ['integer', 'string'], minimum: 1 },
        duration: { type: ['number', 'string'] },
        stages: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/definitions/Stage' } },
        warmup: { type: ['number', 'string'] },
        timeout: { type: ['number', 'string'] },
        error_threshold: { type: ['number', 'string'], minimum: 0, maximum: 100 },
        callback: { type: 'string', examples: ['https://ci.example.com/hook'] },
        callback_email: { type: 'string', examples: ['team@example.com'] },
        scheduled_at: { type: 'string', examples: ['2026-12-24 03:00:00'] },
        notes: { type: 'string' },
        urls: {
          type: 'array',
          minItems: 1,
          items: {
            oneOf: [
              { type: 'string', examples: ['https://www.example.com/'] },
              { $ref: '#/definitions/Url' },
            ],
          },
        },
        thresholds: { $ref: '#/definitions/Thresholds' },
        regression: { $ref: '#/definitions/Regression' },
        needs: { type: 'array', items: { type: 'string' } },
        parallel: { type: ['boolean', 'string'] },
        id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
        tls_verify: { type: ['boolean', 'string'] },
      },
      patternProperties: { '^x-': {} },
    },
    Defaults: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { $ref: '#/definitions/Test/properties/name' },
        test_type: { $ref: '#/definitions/Test/properties/test_type' },
        initial: { $ref: '#/definitions/Test/properties/initial' },
        total: { $ref: '#/definitions/Test/properties/total' },
        duration: { $ref: '#/definitions/Test/properties/duration' },
        stages: { $ref: '#/definitions/Test/properties/stages' },
        warmup: { $ref: '#/definitions/Test/properties/warmup' },
        timeout: { $ref: '#/definitions/Test/properties/timeout' },
        error_threshold: { $ref: '#/definitions/Test/properties/error_threshold' },
        callback: { $ref: '#/definitions/Test/properties/callback' },
        callback_email: { $ref: '#/definitions/Test/properties/callback_email' },
        scheduled_at: { $ref: '#/definitions/Test/properties/scheduled_at' },
        notes: { $ref: '#/definitions/Test/properties/notes' },
        urls: { $ref: '#/definitions/Test/properties/urls' },
        thresholds: { $ref: '#/definitions/Test/properties/thresholds' },
        regression: { $ref: '#/definitions/Test/properties/regression' },
        needs: { $ref: '#/definitions/Test/properties/needs' },
        parallel: { $ref: '#/definitions/Test/properties/parallel' },
        tls_verify: { $ref: '#/definitions/Test/properties/tls_verify' },
        url: { $ref: '#/definitions/Url' },
      },
      patternProperties: { '^x-': {} },
    },
    Url: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        thresholds: { $ref: '#/definitions/Thresholds' },
        url: { type: 'string', examples: ['https://www.example.com/'] },
        request_type: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
        credentials: { $ref: '#/definitions/Credentials' },
        headers: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
        request_params: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
        raw_post_body: { type: 'string' },
        json: {},
        payload_file_url: { type: 'string', examples: ['https://www.example.com/rows.json'] },
        payload_file: { type: 'string' },
        expect: { $ref: '#/definitions/Expectation' },
        delay: {
          oneOf: [
            { type: 'array', minItems: 2, maxItems: 2, items: { type: ['number', 'string'] } },
            { type: ['number', 'string'] },
          ],
        },
        variables: { type: 'array', items: { $ref: '#/definitions/Variable' } },
      },
      patternProperties: { '^x-': {} },
    },
    Thresholds: {
      type: 'object',
      additionalProperties: false,
      properties: {
        error_rate: { type: 'string', examples: ['< 1%'] },
        success_rate: { type: 'string', examples: ['>= 99%'] },
        avg_response_time: { type: 'string', examples: ['< 200ms'] },
        min: { type: 'string', examples: ['< 50ms'] },
        max: { type: 'string', examples: ['< 2s'] },
        p50: { type: 'string', examples: ['< 300ms'] },
        p75: { type: 'string', examples: ['< 300ms'] },
        p90: { type: 'string', examples: ['< 300ms'] },
        p95: { type: 'string', examples: ['< 300ms'] },
        p99: { type: 'string', examples: ['< 300ms'] },
        'p99.9': { type: 'string', examples: ['< 300ms'] },
        requests: { type: 'string', examples: ['>= 1000'] },
        requests_per_second: { type: 'string', examples: ['>= 50'] },
        success: { type: 'string', examples: ['>= 1000'] },
        error: { type: 'string', examples: ['< 10'] },
        timeout_error: { type: 'string', examples: ['< 10'] },
        network_error: { type: 'string', examples: ['< 10'] },
        data_received: { type: 'string', examples: ['< 1000000'] },
      },
      patternProperties: {
        '^x-': {},
        '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$': {
          type: 'string',
          examples: ['< 300ms'],
        },
      },
    },
    Regression: {
      type: 'object',
      additionalProperties: false,
      properties: {
        avg_response_time: { type: 'string', examples: ['10%'] },
        min: { type: 'string', examples: ['10%'] },
        max: { type: 'string', examples: ['10%'] },
        p50: { type: 'string', examples: ['10%'] },
        p75: { type: 'string', examples: ['10%'] },
        p90: { type: 'string', examples: ['10%'] },
        p95: { type: 'string', examples: ['10%'] },
        p99: { type: 'string', examples: ['10%'] },
        'p99.9': { type: 'string', examples: ['10%'] },
        requests_per_second: { type: 'string', examples: ['5%'] },
      },
      patternProperties: {
        '^x-': {},
        '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$': {
          type: 'string',
          examples: ['10%'],
        },
      },
    },
    Limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        max_connections: { type: ['integer', 'string'], minimum: 1 },
        max_duration: { type: ['number', 'string'] },
        hosts: { type: 'array', items: { type: 'string', minLength: 1 } },
      },
      patternProperties: { '^x-': {} },
    },
    App: {
      type: 'object',
      additionalProperties: false,
      properties: { app: { type: 'string' }, verification: { $ref: '#/definitions/Verification' } },
      patternProperties: { '^x-': {} },
    },
    Stage: {
      type: 'object',
      required: ['for', 'to'],
      additionalProperties: false,
      properties: { for: { type: ['number', 'string'] }, to: { type: ['integer', 'string'], minimum: 0 } },
      patternProperties: { '^x-': {} },
    },
    Credentials: {
      type: 'object',
      additionalProperties: false,
      properties: { login: { type: 'string' }, password: { type: 'string' } },
      patternProperties: { '^x-': {} },
    },
    Expectation: {
      type: 'object',
      additionalProperties: false,
      properties: {
        status: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: { type: ['integer', 'string'], minimum: 200, maximum: 599 },
        },
        headers: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
        body: { type: 'string' },
        json: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
      },
      patternProperties: { '^x-': {} },
    },
    Variable: {
      type: 'object',
      required: ['name', 'property'],
      additionalProperties: false,
      properties: {
        name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$' },
        property: { type: 'string' },
        source: { enum: ['header', 'cookie', 'json', 'body'] },
      },
      patternProperties: { '^x-': {} },
    },
  },
};
var func2 = Object.prototype.hasOwnProperty;
var pattern0 = new RegExp('^x-', 'u');
var pattern1 = new RegExp('^[a-z0-9-]{1,40}$', 'u');
var pattern4 = new RegExp('^[A-Za-z0-9_.-]{1,64}$', 'u');
var schema7 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    base_url: { type: 'string', examples: ['https://api.example.com'] },
    auth_header: { type: 'string' },
    api_key_env: { type: 'string', pattern: '^LOADTESTS_[A-Z0-9_]+$' },
    token_prefix: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
    request_timeout: { type: ['string', 'number'] },
    settle: { type: ['string', 'number'] },
    allow_plain_http: { type: ['boolean', 'string'] },
  },
  patternProperties: { '^x-': {} },
};
var pattern3 = new RegExp('^LOADTESTS_[A-Z0-9_]+$', 'u');
function validate22(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (
        !(
          key0 === 'base_url' ||
          key0 === 'auth_header' ||
          key0 === 'api_key_env' ||
          key0 === 'token_prefix' ||
          key0 === 'request_timeout' ||
          key0 === 'settle' ||
          key0 === 'allow_plain_http' ||
          pattern0.test(key0)
        )
      ) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.base_url !== void 0) {
      if (typeof data.base_url !== 'string') {
        const err1 = {
          instancePath: instancePath + '/base_url',
          schemaPath: '#/properties/base_url/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.auth_header !== void 0) {
      if (typeof data.auth_header !== 'string') {
        const err2 = {
          instancePath: instancePath + '/auth_header',
          schemaPath: '#/properties/auth_header/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.api_key_env !== void 0) {
      let data2 = data.api_key_env;
      if (typeof data2 === 'string') {
        if (!pattern3.test(data2)) {
          const err3 = {
            instancePath: instancePath + '/api_key_env',
            schemaPath: '#/properties/api_key_env/pattern',
            keyword: 'pattern',
            params: { pattern: '^LOADTESTS_[A-Z0-9_]+$' },
            message: 'must match pattern "^LOADTESTS_[A-Z0-9_]+$"',
          };
          if (vErrors === null) {
            vErrors = [err3];
          } else {
            vErrors.push(err3);
          }
          errors++;
        }
      } else {
        const err4 = {
          instancePath: instancePath + '/api_key_env',
          schemaPath: '#/properties/api_key_env/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.token_prefix !== void 0) {
      let data3 = data.token_prefix;
      if (typeof data3 === 'string') {
        if (!pattern4.test(data3)) {
          const err5 = {
            instancePath: instancePath + '/token_prefix',
            schemaPath: '#/properties/token_prefix/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
            message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
          };
          if (vErrors === null) {
            vErrors = [err5];
          } else {
            vErrors.push(err5);
          }
          errors++;
        }
      } else {
        const err6 = {
          instancePath: instancePath + '/token_prefix',
          schemaPath: '#/properties/token_prefix/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.request_timeout !== void 0) {
      let data4 = data.request_timeout;
      if (typeof data4 !== 'string' && !(typeof data4 == 'number' && isFinite(data4))) {
        const err7 = {
          instancePath: instancePath + '/request_timeout',
          schemaPath: '#/properties/request_timeout/type',
          keyword: 'type',
          params: { type: schema7.properties.request_timeout.type },
          message: 'must be string,number',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.settle !== void 0) {
      let data5 = data.settle;
      if (typeof data5 !== 'string' && !(typeof data5 == 'number' && isFinite(data5))) {
        const err8 = {
          instancePath: instancePath + '/settle',
          schemaPath: '#/properties/settle/type',
          keyword: 'type',
          params: { type: schema7.properties.settle.type },
          message: 'must be string,number',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data.allow_plain_http !== void 0) {
      let data6 = data.allow_plain_http;
      if (typeof data6 !== 'boolean' && typeof data6 !== 'string') {
        const err9 = {
          instancePath: instancePath + '/allow_plain_http',
          schemaPath: '#/properties/allow_plain_http/type',
          keyword: 'type',
          params: { type: schema7.properties.allow_plain_http.type },
          message: 'must be boolean,string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
  } else {
    const err10 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err10];
    } else {
      vErrors.push(err10);
    }
    errors++;
  }
  validate22.errors = vErrors;
  return errors === 0;
}
var schema8 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    command: { type: 'string', minLength: 1 },
    url: { type: 'string', examples: ['http://127.0.0.1:4080/'] },
    reuse_existing: { type: ['boolean', 'string'] },
    timeout: { type: ['string', 'number'] },
  },
  patternProperties: { '^x-': {} },
};
var func3 = require_ucs2length().default;
function validate24(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (
        !(
          key0 === 'command' ||
          key0 === 'url' ||
          key0 === 'reuse_existing' ||
          key0 === 'timeout' ||
          pattern0.test(key0)
        )
      ) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.command !== void 0) {
      let data0 = data.command;
      if (typeof data0 === 'string') {
        if (func3(data0) < 1) {
          const err1 = {
            instancePath: instancePath + '/command',
            schemaPath: '#/properties/command/minLength',
            keyword: 'minLength',
            params: { limit: 1 },
            message: 'must NOT have fewer than 1 characters',
          };
          if (vErrors === null) {
            vErrors = [err1];
          } else {
            vErrors.push(err1);
          }
          errors++;
        }
      } else {
        const err2 = {
          instancePath: instancePath + '/command',
          schemaPath: '#/properties/command/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.url !== void 0) {
      if (typeof data.url !== 'string') {
        const err3 = {
          instancePath: instancePath + '/url',
          schemaPath: '#/properties/url/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.reuse_existing !== void 0) {
      let data2 = data.reuse_existing;
      if (typeof data2 !== 'boolean' && typeof data2 !== 'string') {
        const err4 = {
          instancePath: instancePath + '/reuse_existing',
          schemaPath: '#/properties/reuse_existing/type',
          keyword: 'type',
          params: { type: schema8.properties.reuse_existing.type },
          message: 'must be boolean,string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.timeout !== void 0) {
      let data3 = data.timeout;
      if (typeof data3 !== 'string' && !(typeof data3 == 'number' && isFinite(data3))) {
        const err5 = {
          instancePath: instancePath + '/timeout',
          schemaPath: '#/properties/timeout/type',
          keyword: 'type',
          params: { type: schema8.properties.timeout.type },
          message: 'must be string,number',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
  } else {
    const err6 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err6];
    } else {
      vErrors.push(err6);
    }
    errors++;
  }
  validate24.errors = vErrors;
  return errors === 0;
}
var schema9 = {
  type: 'object',
  propertyNames: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' },
  additionalProperties: { type: ['string', 'number', 'boolean'] },
  patternProperties: { '^x-': {} },
};
var pattern6 = new RegExp('^[A-Za-z_][A-Za-z0-9_-]*$', 'u');
function validate26(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      const _errs1 = errors;
      if (typeof key0 === 'string') {
        if (!pattern6.test(key0)) {
          const err0 = {
            instancePath,
            schemaPath: '#/propertyNames/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' },
            message: 'must match pattern "^[A-Za-z_][A-Za-z0-9_-]*$"',
            propertyName: key0,
          };
          if (vErrors === null) {
            vErrors = [err0];
          } else {
            vErrors.push(err0);
          }
          errors++;
        }
      } else {
        const err1 = {
          instancePath,
          schemaPath: '#/propertyNames/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
          propertyName: key0,
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
      var valid0 = _errs1 === errors;
      if (!valid0) {
        const err2 = {
          instancePath,
          schemaPath: '#/propertyNames',
          keyword: 'propertyNames',
          params: { propertyName: key0 },
          message: 'property name must be valid',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    for (const key1 in data) {
      if (!pattern0.test(key1)) {
        let data0 = data[key1];
        if (
          typeof data0 !== 'string' &&
          !(typeof data0 == 'number' && isFinite(data0)) &&
          typeof data0 !== 'boolean'
        ) {
          const err3 = {
            instancePath: instancePath + '/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath: '#/additionalProperties/type',
            keyword: 'type',
            params: { type: schema9.additionalProperties.type },
            message: 'must be string,number,boolean',
          };
          if (vErrors === null) {
            vErrors = [err3];
          } else {
            vErrors.push(err3);
          }
          errors++;
        }
      }
    }
  } else {
    const err4 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err4];
    } else {
      vErrors.push(err4);
    }
    errors++;
  }
  validate26.errors = vErrors;
  return errors === 0;
}
var schema11 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { $ref: '#/definitions/Test/properties/name' },
    test_type: { $ref: '#/definitions/Test/properties/test_type' },
    initial: { $ref: '#/definitions/Test/properties/initial' },
    total: { $ref: '#/definitions/Test/properties/total' },
    duration: { $ref: '#/definitions/Test/properties/duration' },
    stages: { $ref: '#/definitions/Test/properties/stages' },
    warmup: { $ref: '#/definitions/Test/properties/warmup' },
    timeout: { $ref: '#/definitions/Test/properties/timeout' },
    error_threshold: { $ref: '#/definitions/Test/properties/error_threshold' },
    callback: { $ref: '#/definitions/Test/properties/callback' },
    callback_email: { $ref: '#/definitions/Test/properties/callback_email' },
    scheduled_at: { $ref: '#/definitions/Test/properties/scheduled_at' },
    notes: { $ref: '#/definitions/Test/properties/notes' },
    urls: { $ref: '#/definitions/Test/properties/urls' },
    thresholds: { $ref: '#/definitions/Test/properties/thresholds' },
    regression: { $ref: '#/definitions/Test/properties/regression' },
    needs: { $ref: '#/definitions/Test/properties/needs' },
    parallel: { $ref: '#/definitions/Test/properties/parallel' },
    tls_verify: { $ref: '#/definitions/Test/properties/tls_verify' },
    url: { $ref: '#/definitions/Url' },
  },
  patternProperties: { '^x-': {} },
};
function validate33(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'string' },
      message: 'must be string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate33.errors = vErrors;
  return errors === 0;
}
var schema13 = { enum: ['cycling', 'non-cycling', 'per-second'] };
function validate35(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (!(data === 'cycling' || data === 'non-cycling' || data === 'per-second')) {
    const err0 = {
      instancePath,
      schemaPath: '#/enum',
      keyword: 'enum',
      params: { allowedValues: schema13.enum },
      message: 'must be equal to one of the allowed values',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate35.errors = vErrors;
  return errors === 0;
}
var schema14 = { type: ['integer', 'string'], minimum: 0 };
function validate37(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (
    !(typeof data == 'number' && !(data % 1) && !isNaN(data) && isFinite(data)) &&
    typeof data !== 'string'
  ) {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema14.type },
      message: 'must be integer,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  if (typeof data == 'number' && isFinite(data)) {
    if (data < 0 || isNaN(data)) {
      const err1 = {
        instancePath,
        schemaPath: '#/minimum',
        keyword: 'minimum',
        params: { comparison: '>=', limit: 0 },
        message: 'must be >= 0',
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
  }
  validate37.errors = vErrors;
  return errors === 0;
}
var schema15 = { type: ['integer', 'string'], minimum: 1 };
function validate39(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (
    !(typeof data == 'number' && !(data % 1) && !isNaN(data) && isFinite(data)) &&
    typeof data !== 'string'
  ) {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema15.type },
      message: 'must be integer,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  if (typeof data == 'number' && isFinite(data)) {
    if (data < 1 || isNaN(data)) {
      const err1 = {
        instancePath,
        schemaPath: '#/minimum',
        keyword: 'minimum',
        params: { comparison: '>=', limit: 1 },
        message: 'must be >= 1',
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
  }
  validate39.errors = vErrors;
  return errors === 0;
}
var schema16 = { type: ['number', 'string'] };
function validate41(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (!(typeof data == 'number' && isFinite(data)) && typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema16.type },
      message: 'must be number,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate41.errors = vErrors;
  return errors === 0;
}
var schema18 = {
  type: 'object',
  required: ['for', 'to'],
  additionalProperties: false,
  properties: { for: { type: ['number', 'string'] }, to: { type: ['integer', 'string'], minimum: 0 } },
  patternProperties: { '^x-': {} },
};
function validate44(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    if (data.for === void 0) {
      const err0 = {
        instancePath,
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'for' },
        message: "must have required property 'for'",
      };
      if (vErrors === null) {
        vErrors = [err0];
      } else {
        vErrors.push(err0);
      }
      errors++;
    }
    if (data.to === void 0) {
      const err1 = {
        instancePath,
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'to' },
        message: "must have required property 'to'",
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
    for (const key0 in data) {
      if (!(key0 === 'for' || key0 === 'to' || pattern0.test(key0))) {
        const err2 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.for !== void 0) {
      let data0 = data.for;
      if (!(typeof data0 == 'number' && isFinite(data0)) && typeof data0 !== 'string') {
        const err3 = {
          instancePath: instancePath + '/for',
          schemaPath: '#/properties/for/type',
          keyword: 'type',
          params: { type: schema18.properties.for.type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.to !== void 0) {
      let data1 = data.to;
      if (
        !(typeof data1 == 'number' && !(data1 % 1) && !isNaN(data1) && isFinite(data1)) &&
        typeof data1 !== 'string'
      ) {
        const err4 = {
          instancePath: instancePath + '/to',
          schemaPath: '#/properties/to/type',
          keyword: 'type',
          params: { type: schema18.properties.to.type },
          message: 'must be integer,string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
      if (typeof data1 == 'number' && isFinite(data1)) {
        if (data1 < 0 || isNaN(data1)) {
          const err5 = {
            instancePath: instancePath + '/to',
            schemaPath: '#/properties/to/minimum',
            keyword: 'minimum',
            params: { comparison: '>=', limit: 0 },
            message: 'must be >= 0',
          };
          if (vErrors === null) {
            vErrors = [err5];
          } else {
            vErrors.push(err5);
          }
          errors++;
        }
      }
    }
  } else {
    const err6 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err6];
    } else {
      vErrors.push(err6);
    }
    errors++;
  }
  validate44.errors = vErrors;
  return errors === 0;
}
function validate43(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (Array.isArray(data)) {
    if (data.length > 100) {
      const err0 = {
        instancePath,
        schemaPath: '#/maxItems',
        keyword: 'maxItems',
        params: { limit: 100 },
        message: 'must NOT have more than 100 items',
      };
      if (vErrors === null) {
        vErrors = [err0];
      } else {
        vErrors.push(err0);
      }
      errors++;
    }
    if (data.length < 1) {
      const err1 = {
        instancePath,
        schemaPath: '#/minItems',
        keyword: 'minItems',
        params: { limit: 1 },
        message: 'must NOT have fewer than 1 items',
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
    const len0 = data.length;
    for (let i0 = 0; i0 < len0; i0++) {
      if (
        !validate44(data[i0], {
          instancePath: instancePath + '/' + i0,
          parentData: data,
          parentDataProperty: i0,
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate44.errors : vErrors.concat(validate44.errors);
        errors = vErrors.length;
      }
    }
  } else {
    const err2 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'array' },
      message: 'must be array',
    };
    if (vErrors === null) {
      vErrors = [err2];
    } else {
      vErrors.push(err2);
    }
    errors++;
  }
  validate43.errors = vErrors;
  return errors === 0;
}
var schema19 = { type: ['number', 'string'] };
function validate47(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (!(typeof data == 'number' && isFinite(data)) && typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema19.type },
      message: 'must be number,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate47.errors = vErrors;
  return errors === 0;
}
var schema20 = { type: ['number', 'string'] };
function validate49(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (!(typeof data == 'number' && isFinite(data)) && typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema20.type },
      message: 'must be number,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate49.errors = vErrors;
  return errors === 0;
}
var schema21 = { type: ['number', 'string'], minimum: 0, maximum: 100 };
function validate51(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (!(typeof data == 'number' && isFinite(data)) && typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema21.type },
      message: 'must be number,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  if (typeof data == 'number' && isFinite(data)) {
    if (data > 100 || isNaN(data)) {
      const err1 = {
        instancePath,
        schemaPath: '#/maximum',
        keyword: 'maximum',
        params: { comparison: '<=', limit: 100 },
        message: 'must be <= 100',
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
    if (data < 0 || isNaN(data)) {
      const err2 = {
        instancePath,
        schemaPath: '#/minimum',
        keyword: 'minimum',
        params: { comparison: '>=', limit: 0 },
        message: 'must be >= 0',
      };
      if (vErrors === null) {
        vErrors = [err2];
      } else {
        vErrors.push(err2);
      }
      errors++;
    }
  }
  validate51.errors = vErrors;
  return errors === 0;
}
function validate53(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'string' },
      message: 'must be string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate53.errors = vErrors;
  return errors === 0;
}
function validate55(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'string' },
      message: 'must be string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate55.errors = vErrors;
  return errors === 0;
}
function validate57(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'string' },
      message: 'must be string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate57.errors = vErrors;
  return errors === 0;
}
function validate59(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'string' },
      message: 'must be string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate59.errors = vErrors;
  return errors === 0;
}
var schema27 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    thresholds: { $ref: '#/definitions/Thresholds' },
    url: { type: 'string', examples: ['https://www.example.com/'] },
    request_type: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
    credentials: { $ref: '#/definitions/Credentials' },
    headers: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    request_params: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    raw_post_body: { type: 'string' },
    json: {},
    payload_file_url: { type: 'string', examples: ['https://www.example.com/rows.json'] },
    payload_file: { type: 'string' },
    expect: { $ref: '#/definitions/Expectation' },
    delay: {
      oneOf: [
        { type: 'array', minItems: 2, maxItems: 2, items: { type: ['number', 'string'] } },
        { type: ['number', 'string'] },
      ],
    },
    variables: { type: 'array', items: { $ref: '#/definitions/Variable' } },
  },
  patternProperties: { '^x-': {} },
};
var schema28 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    error_rate: { type: 'string', examples: ['< 1%'] },
    success_rate: { type: 'string', examples: ['>= 99%'] },
    avg_response_time: { type: 'string', examples: ['< 200ms'] },
    min: { type: 'string', examples: ['< 50ms'] },
    max: { type: 'string', examples: ['< 2s'] },
    p50: { type: 'string', examples: ['< 300ms'] },
    p75: { type: 'string', examples: ['< 300ms'] },
    p90: { type: 'string', examples: ['< 300ms'] },
    p95: { type: 'string', examples: ['< 300ms'] },
    p99: { type: 'string', examples: ['< 300ms'] },
    'p99.9': { type: 'string', examples: ['< 300ms'] },
    requests: { type: 'string', examples: ['>= 1000'] },
    requests_per_second: { type: 'string', examples: ['>= 50'] },
    success: { type: 'string', examples: ['>= 1000'] },
    error: { type: 'string', examples: ['< 10'] },
    timeout_error: { type: 'string', examples: ['< 10'] },
    network_error: { type: 'string', examples: ['< 10'] },
    data_received: { type: 'string', examples: ['< 1000000'] },
  },
  patternProperties: {
    '^x-': {},
    '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$': {
      type: 'string',
      examples: ['< 300ms'],
    },
  },
};
var pattern15 = new RegExp(
  '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$',
  'u',
);
function validate63(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema28.properties, key0) || pattern0.test(key0) || pattern15.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.error_rate !== void 0) {
      if (typeof data.error_rate !== 'string') {
        const err1 = {
          instancePath: instancePath + '/error_rate',
          schemaPath: '#/properties/error_rate/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.success_rate !== void 0) {
      if (typeof data.success_rate !== 'string') {
        const err2 = {
          instancePath: instancePath + '/success_rate',
          schemaPath: '#/properties/success_rate/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.avg_response_time !== void 0) {
      if (typeof data.avg_response_time !== 'string') {
        const err3 = {
          instancePath: instancePath + '/avg_response_time',
          schemaPath: '#/properties/avg_response_time/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.min !== void 0) {
      if (typeof data.min !== 'string') {
        const err4 = {
          instancePath: instancePath + '/min',
          schemaPath: '#/properties/min/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.max !== void 0) {
      if (typeof data.max !== 'string') {
        const err5 = {
          instancePath: instancePath + '/max',
          schemaPath: '#/properties/max/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.p50 !== void 0) {
      if (typeof data.p50 !== 'string') {
        const err6 = {
          instancePath: instancePath + '/p50',
          schemaPath: '#/properties/p50/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.p75 !== void 0) {
      if (typeof data.p75 !== 'string') {
        const err7 = {
          instancePath: instancePath + '/p75',
          schemaPath: '#/properties/p75/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.p90 !== void 0) {
      if (typeof data.p90 !== 'string') {
        const err8 = {
          instancePath: instancePath + '/p90',
          schemaPath: '#/properties/p90/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data.p95 !== void 0) {
      if (typeof data.p95 !== 'string') {
        const err9 = {
          instancePath: instancePath + '/p95',
          schemaPath: '#/properties/p95/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.p99 !== void 0) {
      if (typeof data.p99 !== 'string') {
        const err10 = {
          instancePath: instancePath + '/p99',
          schemaPath: '#/properties/p99/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err10];
        } else {
          vErrors.push(err10);
        }
        errors++;
      }
    }
    if (data['p99.9'] !== void 0) {
      if (typeof data['p99.9'] !== 'string') {
        const err11 = {
          instancePath: instancePath + '/p99.9',
          schemaPath: '#/properties/p99.9/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err11];
        } else {
          vErrors.push(err11);
        }
        errors++;
      }
    }
    if (data.requests !== void 0) {
      if (typeof data.requests !== 'string') {
        const err12 = {
          instancePath: instancePath + '/requests',
          schemaPath: '#/properties/requests/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err12];
        } else {
          vErrors.push(err12);
        }
        errors++;
      }
    }
    if (data.requests_per_second !== void 0) {
      if (typeof data.requests_per_second !== 'string') {
        const err13 = {
          instancePath: instancePath + '/requests_per_second',
          schemaPath: '#/properties/requests_per_second/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err13];
        } else {
          vErrors.push(err13);
        }
        errors++;
      }
    }
    if (data.success !== void 0) {
      if (typeof data.success !== 'string') {
        const err14 = {
          instancePath: instancePath + '/success',
          schemaPath: '#/properties/success/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err14];
        } else {
          vErrors.push(err14);
        }
        errors++;
      }
    }
    if (data.error !== void 0) {
      if (typeof data.error !== 'string') {
        const err15 = {
          instancePath: instancePath + '/error',
          schemaPath: '#/properties/error/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err15];
        } else {
          vErrors.push(err15);
        }
        errors++;
      }
    }
    if (data.timeout_error !== void 0) {
      if (typeof data.timeout_error !== 'string') {
        const err16 = {
          instancePath: instancePath + '/timeout_error',
          schemaPath: '#/properties/timeout_error/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err16];
        } else {
          vErrors.push(err16);
        }
        errors++;
      }
    }
    if (data.network_error !== void 0) {
      if (typeof data.network_error !== 'string') {
        const err17 = {
          instancePath: instancePath + '/network_error',
          schemaPath: '#/properties/network_error/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err17];
        } else {
          vErrors.push(err17);
        }
        errors++;
      }
    }
    if (data.data_received !== void 0) {
      if (typeof data.data_received !== 'string') {
        const err18 = {
          instancePath: instancePath + '/data_received',
          schemaPath: '#/properties/data_received/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err18];
        } else {
          vErrors.push(err18);
        }
        errors++;
      }
    }
    for (const key2 in data) {
      if (pattern15.test(key2)) {
        if (typeof data[key2] !== 'string') {
          const err19 = {
            instancePath: instancePath + '/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath:
              '#/patternProperties/%5Ep(%3F!(50%7C75%7C90%7C95%7C99%7C99%5C.9)%24)(0%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D%7C%5B1-9%5D%5B0-9%5D%3F(%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D)%3F)%24/type',
            keyword: 'type',
            params: { type: 'string' },
            message: 'must be string',
          };
          if (vErrors === null) {
            vErrors = [err19];
          } else {
            vErrors.push(err19);
          }
          errors++;
        }
      }
    }
  } else {
    const err20 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err20];
    } else {
      vErrors.push(err20);
    }
    errors++;
  }
  validate63.errors = vErrors;
  return errors === 0;
}
function validate65(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(key0 === 'login' || key0 === 'password' || pattern0.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.login !== void 0) {
      if (typeof data.login !== 'string') {
        const err1 = {
          instancePath: instancePath + '/login',
          schemaPath: '#/properties/login/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.password !== void 0) {
      if (typeof data.password !== 'string') {
        const err2 = {
          instancePath: instancePath + '/password',
          schemaPath: '#/properties/password/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
  } else {
    const err3 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err3];
    } else {
      vErrors.push(err3);
    }
    errors++;
  }
  validate65.errors = vErrors;
  return errors === 0;
}
var schema30 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: ['integer', 'string'], minimum: 200, maximum: 599 },
    },
    headers: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
    body: { type: 'string' },
    json: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
  },
  patternProperties: { '^x-': {} },
};
function validate67(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (
        !(
          key0 === 'status' ||
          key0 === 'headers' ||
          key0 === 'body' ||
          key0 === 'json' ||
          pattern0.test(key0)
        )
      ) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.status !== void 0) {
      let data0 = data.status;
      if (Array.isArray(data0)) {
        if (data0.length > 100) {
          const err1 = {
            instancePath: instancePath + '/status',
            schemaPath: '#/properties/status/maxItems',
            keyword: 'maxItems',
            params: { limit: 100 },
            message: 'must NOT have more than 100 items',
          };
          if (vErrors === null) {
            vErrors = [err1];
          } else {
            vErrors.push(err1);
          }
          errors++;
        }
        if (data0.length < 1) {
          const err2 = {
            instancePath: instancePath + '/status',
            schemaPath: '#/properties/status/minItems',
            keyword: 'minItems',
            params: { limit: 1 },
            message: 'must NOT have fewer than 1 items',
          };
          if (vErrors === null) {
            vErrors = [err2];
          } else {
            vErrors.push(err2);
          }
          errors++;
        }
        const len0 = data0.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data1 = data0[i0];
          if (
            !(typeof data1 == 'number' && !(data1 % 1) && !isNaN(data1) && isFinite(data1)) &&
            typeof data1 !== 'string'
          ) {
            const err3 = {
              instancePath: instancePath + '/status/' + i0,
              schemaPath: '#/properties/status/items/type',
              keyword: 'type',
              params: { type: schema30.properties.status.items.type },
              message: 'must be integer,string',
            };
            if (vErrors === null) {
              vErrors = [err3];
            } else {
              vErrors.push(err3);
            }
            errors++;
          }
          if (typeof data1 == 'number' && isFinite(data1)) {
            if (data1 > 599 || isNaN(data1)) {
              const err4 = {
                instancePath: instancePath + '/status/' + i0,
                schemaPath: '#/properties/status/items/maximum',
                keyword: 'maximum',
                params: { comparison: '<=', limit: 599 },
                message: 'must be <= 599',
              };
              if (vErrors === null) {
                vErrors = [err4];
              } else {
                vErrors.push(err4);
              }
              errors++;
            }
            if (data1 < 200 || isNaN(data1)) {
              const err5 = {
                instancePath: instancePath + '/status/' + i0,
                schemaPath: '#/properties/status/items/minimum',
                keyword: 'minimum',
                params: { comparison: '>=', limit: 200 },
                message: 'must be >= 200',
              };
              if (vErrors === null) {
                vErrors = [err5];
              } else {
                vErrors.push(err5);
              }
              errors++;
            }
          }
        }
      } else {
        const err6 = {
          instancePath: instancePath + '/status',
          schemaPath: '#/properties/status/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.headers !== void 0) {
      let data2 = data.headers;
      if (data2 && typeof data2 == 'object' && !Array.isArray(data2)) {
        for (const key1 in data2) {
          let data3 = data2[key1];
          if (
            typeof data3 !== 'string' &&
            !(typeof data3 == 'number' && isFinite(data3)) &&
            typeof data3 !== 'boolean'
          ) {
            const err7 = {
              instancePath: instancePath + '/headers/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
              schemaPath: '#/properties/headers/additionalProperties/type',
              keyword: 'type',
              params: { type: schema30.properties.headers.additionalProperties.type },
              message: 'must be string,number,boolean',
            };
            if (vErrors === null) {
              vErrors = [err7];
            } else {
              vErrors.push(err7);
            }
            errors++;
          }
        }
      } else {
        const err8 = {
          instancePath: instancePath + '/headers',
          schemaPath: '#/properties/headers/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data.body !== void 0) {
      if (typeof data.body !== 'string') {
        const err9 = {
          instancePath: instancePath + '/body',
          schemaPath: '#/properties/body/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.json !== void 0) {
      let data5 = data.json;
      if (data5 && typeof data5 == 'object' && !Array.isArray(data5)) {
        for (const key2 in data5) {
          let data6 = data5[key2];
          if (
            typeof data6 !== 'string' &&
            !(typeof data6 == 'number' && isFinite(data6)) &&
            typeof data6 !== 'boolean' &&
            data6 !== null
          ) {
            const err10 = {
              instancePath: instancePath + '/json/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
              schemaPath: '#/properties/json/additionalProperties/type',
              keyword: 'type',
              params: { type: schema30.properties.json.additionalProperties.type },
              message: 'must be string,number,boolean,null',
            };
            if (vErrors === null) {
              vErrors = [err10];
            } else {
              vErrors.push(err10);
            }
            errors++;
          }
        }
      } else {
        const err11 = {
          instancePath: instancePath + '/json',
          schemaPath: '#/properties/json/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        };
        if (vErrors === null) {
          vErrors = [err11];
        } else {
          vErrors.push(err11);
        }
        errors++;
      }
    }
  } else {
    const err12 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err12];
    } else {
      vErrors.push(err12);
    }
    errors++;
  }
  validate67.errors = vErrors;
  return errors === 0;
}
var schema31 = {
  type: 'object',
  required: ['name', 'property'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$' },
    property: { type: 'string' },
    source: { enum: ['header', 'cookie', 'json', 'body'] },
  },
  patternProperties: { '^x-': {} },
};
var pattern21 = new RegExp('^[A-Za-z_][A-Za-z0-9_-]{0,63}$', 'u');
function validate69(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    if (data.name === void 0) {
      const err0 = {
        instancePath,
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'name' },
        message: "must have required property 'name'",
      };
      if (vErrors === null) {
        vErrors = [err0];
      } else {
        vErrors.push(err0);
      }
      errors++;
    }
    if (data.property === void 0) {
      const err1 = {
        instancePath,
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'property' },
        message: "must have required property 'property'",
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
    for (const key0 in data) {
      if (!(key0 === 'name' || key0 === 'property' || key0 === 'source' || pattern0.test(key0))) {
        const err2 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.name !== void 0) {
      let data0 = data.name;
      if (typeof data0 === 'string') {
        if (!pattern21.test(data0)) {
          const err3 = {
            instancePath: instancePath + '/name',
            schemaPath: '#/properties/name/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$' },
            message: 'must match pattern "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"',
          };
          if (vErrors === null) {
            vErrors = [err3];
          } else {
            vErrors.push(err3);
          }
          errors++;
        }
      } else {
        const err4 = {
          instancePath: instancePath + '/name',
          schemaPath: '#/properties/name/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.property !== void 0) {
      if (typeof data.property !== 'string') {
        const err5 = {
          instancePath: instancePath + '/property',
          schemaPath: '#/properties/property/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.source !== void 0) {
      let data2 = data.source;
      if (!(data2 === 'header' || data2 === 'cookie' || data2 === 'json' || data2 === 'body')) {
        const err6 = {
          instancePath: instancePath + '/source',
          schemaPath: '#/properties/source/enum',
          keyword: 'enum',
          params: { allowedValues: schema31.properties.source.enum },
          message: 'must be equal to one of the allowed values',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
  } else {
    const err7 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err7];
    } else {
      vErrors.push(err7);
    }
    errors++;
  }
  validate69.errors = vErrors;
  return errors === 0;
}
function validate62(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema27.properties, key0) || pattern0.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.name !== void 0) {
      if (typeof data.name !== 'string') {
        const err1 = {
          instancePath: instancePath + '/name',
          schemaPath: '#/properties/name/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.thresholds !== void 0) {
      if (
        !validate63(data.thresholds, {
          instancePath: instancePath + '/thresholds',
          parentData: data,
          parentDataProperty: 'thresholds',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate63.errors : vErrors.concat(validate63.errors);
        errors = vErrors.length;
      }
    }
    if (data.url !== void 0) {
      if (typeof data.url !== 'string') {
        const err2 = {
          instancePath: instancePath + '/url',
          schemaPath: '#/properties/url/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.request_type !== void 0) {
      let data3 = data.request_type;
      if (
        !(
          data3 === 'GET' ||
          data3 === 'POST' ||
          data3 === 'PUT' ||
          data3 === 'PATCH' ||
          data3 === 'DELETE' ||
          data3 === 'HEAD' ||
          data3 === 'OPTIONS'
        )
      ) {
        const err3 = {
          instancePath: instancePath + '/request_type',
          schemaPath: '#/properties/request_type/enum',
          keyword: 'enum',
          params: { allowedValues: schema27.properties.request_type.enum },
          message: 'must be equal to one of the allowed values',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.credentials !== void 0) {
      if (
        !validate65(data.credentials, {
          instancePath: instancePath + '/credentials',
          parentData: data,
          parentDataProperty: 'credentials',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate65.errors : vErrors.concat(validate65.errors);
        errors = vErrors.length;
      }
    }
    if (data.headers !== void 0) {
      let data5 = data.headers;
      if (data5 && typeof data5 == 'object' && !Array.isArray(data5)) {
        for (const key1 in data5) {
          let data6 = data5[key1];
          if (
            typeof data6 !== 'string' &&
            !(typeof data6 == 'number' && isFinite(data6)) &&
            typeof data6 !== 'boolean'
          ) {
            const err4 = {
              instancePath: instancePath + '/headers/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
              schemaPath: '#/properties/headers/additionalProperties/type',
              keyword: 'type',
              params: { type: schema27.properties.headers.additionalProperties.type },
              message: 'must be string,number,boolean',
            };
            if (vErrors === null) {
              vErrors = [err4];
            } else {
              vErrors.push(err4);
            }
            errors++;
          }
        }
      } else {
        const err5 = {
          instancePath: instancePath + '/headers',
          schemaPath: '#/properties/headers/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.request_params !== void 0) {
      let data7 = data.request_params;
      if (data7 && typeof data7 == 'object' && !Array.isArray(data7)) {
        for (const key2 in data7) {
          let data8 = data7[key2];
          if (
            typeof data8 !== 'string' &&
            !(typeof data8 == 'number' && isFinite(data8)) &&
            typeof data8 !== 'boolean'
          ) {
            const err6 = {
              instancePath: instancePath + '/request_params/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
              schemaPath: '#/properties/request_params/additionalProperties/type',
              keyword: 'type',
              params: { type: schema27.properties.request_params.additionalProperties.type },
              message: 'must be string,number,boolean',
            };
            if (vErrors === null) {
              vErrors = [err6];
            } else {
              vErrors.push(err6);
            }
            errors++;
          }
        }
      } else {
        const err7 = {
          instancePath: instancePath + '/request_params',
          schemaPath: '#/properties/request_params/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.raw_post_body !== void 0) {
      if (typeof data.raw_post_body !== 'string') {
        const err8 = {
          instancePath: instancePath + '/raw_post_body',
          schemaPath: '#/properties/raw_post_body/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data.payload_file_url !== void 0) {
      if (typeof data.payload_file_url !== 'string') {
        const err9 = {
          instancePath: instancePath + '/payload_file_url',
          schemaPath: '#/properties/payload_file_url/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.payload_file !== void 0) {
      if (typeof data.payload_file !== 'string') {
        const err10 = {
          instancePath: instancePath + '/payload_file',
          schemaPath: '#/properties/payload_file/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err10];
        } else {
          vErrors.push(err10);
        }
        errors++;
      }
    }
    if (data.expect !== void 0) {
      if (
        !validate67(data.expect, {
          instancePath: instancePath + '/expect',
          parentData: data,
          parentDataProperty: 'expect',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate67.errors : vErrors.concat(validate67.errors);
        errors = vErrors.length;
      }
    }
    if (data.delay !== void 0) {
      let data13 = data.delay;
      const _errs27 = errors;
      let valid3 = false;
      let passing0 = null;
      const _errs28 = errors;
      if (Array.isArray(data13)) {
        if (data13.length > 2) {
          const err11 = {
            instancePath: instancePath + '/delay',
            schemaPath: '#/properties/delay/oneOf/0/maxItems',
            keyword: 'maxItems',
            params: { limit: 2 },
            message: 'must NOT have more than 2 items',
          };
          if (vErrors === null) {
            vErrors = [err11];
          } else {
            vErrors.push(err11);
          }
          errors++;
        }
        if (data13.length < 2) {
          const err12 = {
            instancePath: instancePath + '/delay',
            schemaPath: '#/properties/delay/oneOf/0/minItems',
            keyword: 'minItems',
            params: { limit: 2 },
            message: 'must NOT have fewer than 2 items',
          };
          if (vErrors === null) {
            vErrors = [err12];
          } else {
            vErrors.push(err12);
          }
          errors++;
        }
        const len0 = data13.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data14 = data13[i0];
          if (!(typeof data14 == 'number' && isFinite(data14)) && typeof data14 !== 'string') {
            const err13 = {
              instancePath: instancePath + '/delay/' + i0,
              schemaPath: '#/properties/delay/oneOf/0/items/type',
              keyword: 'type',
              params: { type: schema27.properties.delay.oneOf[0].items.type },
              message: 'must be number,string',
            };
            if (vErrors === null) {
              vErrors = [err13];
            } else {
              vErrors.push(err13);
            }
            errors++;
          }
        }
      } else {
        const err14 = {
          instancePath: instancePath + '/delay',
          schemaPath: '#/properties/delay/oneOf/0/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err14];
        } else {
          vErrors.push(err14);
        }
        errors++;
      }
      var _valid0 = _errs28 === errors;
      if (_valid0) {
        valid3 = true;
        passing0 = 0;
      }
      const _errs32 = errors;
      if (!(typeof data13 == 'number' && isFinite(data13)) && typeof data13 !== 'string') {
        const err15 = {
          instancePath: instancePath + '/delay',
          schemaPath: '#/properties/delay/oneOf/1/type',
          keyword: 'type',
          params: { type: schema27.properties.delay.oneOf[1].type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err15];
        } else {
          vErrors.push(err15);
        }
        errors++;
      }
      var _valid0 = _errs32 === errors;
      if (_valid0 && valid3) {
        valid3 = false;
        passing0 = [passing0, 1];
      } else {
        if (_valid0) {
          valid3 = true;
          passing0 = 1;
        }
      }
      if (!valid3) {
        const err16 = {
          instancePath: instancePath + '/delay',
          schemaPath: '#/properties/delay/oneOf',
          keyword: 'oneOf',
          params: { passingSchemas: passing0 },
          message: 'must match exactly one schema in oneOf',
        };
        if (vErrors === null) {
          vErrors = [err16];
        } else {
          vErrors.push(err16);
        }
        errors++;
      } else {
        errors = _errs27;
        if (vErrors !== null) {
          if (_errs27) {
            vErrors.length = _errs27;
          } else {
            vErrors = null;
          }
        }
      }
    }
    if (data.variables !== void 0) {
      let data15 = data.variables;
      if (Array.isArray(data15)) {
        const len1 = data15.length;
        for (let i1 = 0; i1 < len1; i1++) {
          if (
            !validate69(data15[i1], {
              instancePath: instancePath + '/variables/' + i1,
              parentData: data15,
              parentDataProperty: i1,
              rootData,
            })
          ) {
            vErrors = vErrors === null ? validate69.errors : vErrors.concat(validate69.errors);
            errors = vErrors.length;
          }
        }
      } else {
        const err17 = {
          instancePath: instancePath + '/variables',
          schemaPath: '#/properties/variables/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err17];
        } else {
          vErrors.push(err17);
        }
        errors++;
      }
    }
  } else {
    const err18 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err18];
    } else {
      vErrors.push(err18);
    }
    errors++;
  }
  validate62.errors = vErrors;
  return errors === 0;
}
function validate61(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (Array.isArray(data)) {
    if (data.length < 1) {
      const err0 = {
        instancePath,
        schemaPath: '#/minItems',
        keyword: 'minItems',
        params: { limit: 1 },
        message: 'must NOT have fewer than 1 items',
      };
      if (vErrors === null) {
        vErrors = [err0];
      } else {
        vErrors.push(err0);
      }
      errors++;
    }
    const len0 = data.length;
    for (let i0 = 0; i0 < len0; i0++) {
      let data0 = data[i0];
      const _errs2 = errors;
      let valid2 = false;
      let passing0 = null;
      const _errs3 = errors;
      if (typeof data0 !== 'string') {
        const err1 = {
          instancePath: instancePath + '/' + i0,
          schemaPath: '#/items/oneOf/0/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
      var _valid0 = _errs3 === errors;
      if (_valid0) {
        valid2 = true;
        passing0 = 0;
      }
      const _errs5 = errors;
      if (
        !validate62(data0, {
          instancePath: instancePath + '/' + i0,
          parentData: data,
          parentDataProperty: i0,
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
        errors = vErrors.length;
      }
      var _valid0 = _errs5 === errors;
      if (_valid0 && valid2) {
        valid2 = false;
        passing0 = [passing0, 1];
      } else {
        if (_valid0) {
          valid2 = true;
          passing0 = 1;
        }
      }
      if (!valid2) {
        const err2 = {
          instancePath: instancePath + '/' + i0,
          schemaPath: '#/items/oneOf',
          keyword: 'oneOf',
          params: { passingSchemas: passing0 },
          message: 'must match exactly one schema in oneOf',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      } else {
        errors = _errs2;
        if (vErrors !== null) {
          if (_errs2) {
            vErrors.length = _errs2;
          } else {
            vErrors = null;
          }
        }
      }
    }
  } else {
    const err3 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'array' },
      message: 'must be array',
    };
    if (vErrors === null) {
      vErrors = [err3];
    } else {
      vErrors.push(err3);
    }
    errors++;
  }
  validate61.errors = vErrors;
  return errors === 0;
}
function validate73(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema28.properties, key0) || pattern0.test(key0) || pattern15.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.error_rate !== void 0) {
      if (typeof data.error_rate !== 'string') {
        const err1 = {
          instancePath: instancePath + '/error_rate',
          schemaPath: '#/properties/error_rate/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.success_rate !== void 0) {
      if (typeof data.success_rate !== 'string') {
        const err2 = {
          instancePath: instancePath + '/success_rate',
          schemaPath: '#/properties/success_rate/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.avg_response_time !== void 0) {
      if (typeof data.avg_response_time !== 'string') {
        const err3 = {
          instancePath: instancePath + '/avg_response_time',
          schemaPath: '#/properties/avg_response_time/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.min !== void 0) {
      if (typeof data.min !== 'string') {
        const err4 = {
          instancePath: instancePath + '/min',
          schemaPath: '#/properties/min/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.max !== void 0) {
      if (typeof data.max !== 'string') {
        const err5 = {
          instancePath: instancePath + '/max',
          schemaPath: '#/properties/max/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.p50 !== void 0) {
      if (typeof data.p50 !== 'string') {
        const err6 = {
          instancePath: instancePath + '/p50',
          schemaPath: '#/properties/p50/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.p75 !== void 0) {
      if (typeof data.p75 !== 'string') {
        const err7 = {
          instancePath: instancePath + '/p75',
          schemaPath: '#/properties/p75/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.p90 !== void 0) {
      if (typeof data.p90 !== 'string') {
        const err8 = {
          instancePath: instancePath + '/p90',
          schemaPath: '#/properties/p90/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data.p95 !== void 0) {
      if (typeof data.p95 !== 'string') {
        const err9 = {
          instancePath: instancePath + '/p95',
          schemaPath: '#/properties/p95/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.p99 !== void 0) {
      if (typeof data.p99 !== 'string') {
        const err10 = {
          instancePath: instancePath + '/p99',
          schemaPath: '#/properties/p99/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err10];
        } else {
          vErrors.push(err10);
        }
        errors++;
      }
    }
    if (data['p99.9'] !== void 0) {
      if (typeof data['p99.9'] !== 'string') {
        const err11 = {
          instancePath: instancePath + '/p99.9',
          schemaPath: '#/properties/p99.9/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err11];
        } else {
          vErrors.push(err11);
        }
        errors++;
      }
    }
    if (data.requests !== void 0) {
      if (typeof data.requests !== 'string') {
        const err12 = {
          instancePath: instancePath + '/requests',
          schemaPath: '#/properties/requests/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err12];
        } else {
          vErrors.push(err12);
        }
        errors++;
      }
    }
    if (data.requests_per_second !== void 0) {
      if (typeof data.requests_per_second !== 'string') {
        const err13 = {
          instancePath: instancePath + '/requests_per_second',
          schemaPath: '#/properties/requests_per_second/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err13];
        } else {
          vErrors.push(err13);
        }
        errors++;
      }
    }
    if (data.success !== void 0) {
      if (typeof data.success !== 'string') {
        const err14 = {
          instancePath: instancePath + '/success',
          schemaPath: '#/properties/success/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err14];
        } else {
          vErrors.push(err14);
        }
        errors++;
      }
    }
    if (data.error !== void 0) {
      if (typeof data.error !== 'string') {
        const err15 = {
          instancePath: instancePath + '/error',
          schemaPath: '#/properties/error/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err15];
        } else {
          vErrors.push(err15);
        }
        errors++;
      }
    }
    if (data.timeout_error !== void 0) {
      if (typeof data.timeout_error !== 'string') {
        const err16 = {
          instancePath: instancePath + '/timeout_error',
          schemaPath: '#/properties/timeout_error/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err16];
        } else {
          vErrors.push(err16);
        }
        errors++;
      }
    }
    if (data.network_error !== void 0) {
      if (typeof data.network_error !== 'string') {
        const err17 = {
          instancePath: instancePath + '/network_error',
          schemaPath: '#/properties/network_error/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err17];
        } else {
          vErrors.push(err17);
        }
        errors++;
      }
    }
    if (data.data_received !== void 0) {
      if (typeof data.data_received !== 'string') {
        const err18 = {
          instancePath: instancePath + '/data_received',
          schemaPath: '#/properties/data_received/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err18];
        } else {
          vErrors.push(err18);
        }
        errors++;
      }
    }
    for (const key2 in data) {
      if (pattern15.test(key2)) {
        if (typeof data[key2] !== 'string') {
          const err19 = {
            instancePath: instancePath + '/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath:
              '#/patternProperties/%5Ep(%3F!(50%7C75%7C90%7C95%7C99%7C99%5C.9)%24)(0%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D%7C%5B1-9%5D%5B0-9%5D%3F(%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D)%3F)%24/type',
            keyword: 'type',
            params: { type: 'string' },
            message: 'must be string',
          };
          if (vErrors === null) {
            vErrors = [err19];
          } else {
            vErrors.push(err19);
          }
          errors++;
        }
      }
    }
  } else {
    const err20 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err20];
    } else {
      vErrors.push(err20);
    }
    errors++;
  }
  validate73.errors = vErrors;
  return errors === 0;
}
var schema33 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    avg_response_time: { type: 'string', examples: ['10%'] },
    min: { type: 'string', examples: ['10%'] },
    max: { type: 'string', examples: ['10%'] },
    p50: { type: 'string', examples: ['10%'] },
    p75: { type: 'string', examples: ['10%'] },
    p90: { type: 'string', examples: ['10%'] },
    p95: { type: 'string', examples: ['10%'] },
    p99: { type: 'string', examples: ['10%'] },
    'p99.9': { type: 'string', examples: ['10%'] },
    requests_per_second: { type: 'string', examples: ['5%'] },
  },
  patternProperties: {
    '^x-': {},
    '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$': {
      type: 'string',
      examples: ['10%'],
    },
  },
};
function validate75(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema33.properties, key0) || pattern0.test(key0) || pattern15.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.avg_response_time !== void 0) {
      if (typeof data.avg_response_time !== 'string') {
        const err1 = {
          instancePath: instancePath + '/avg_response_time',
          schemaPath: '#/properties/avg_response_time/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.min !== void 0) {
      if (typeof data.min !== 'string') {
        const err2 = {
          instancePath: instancePath + '/min',
          schemaPath: '#/properties/min/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.max !== void 0) {
      if (typeof data.max !== 'string') {
        const err3 = {
          instancePath: instancePath + '/max',
          schemaPath: '#/properties/max/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.p50 !== void 0) {
      if (typeof data.p50 !== 'string') {
        const err4 = {
          instancePath: instancePath + '/p50',
          schemaPath: '#/properties/p50/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.p75 !== void 0) {
      if (typeof data.p75 !== 'string') {
        const err5 = {
          instancePath: instancePath + '/p75',
          schemaPath: '#/properties/p75/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.p90 !== void 0) {
      if (typeof data.p90 !== 'string') {
        const err6 = {
          instancePath: instancePath + '/p90',
          schemaPath: '#/properties/p90/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.p95 !== void 0) {
      if (typeof data.p95 !== 'string') {
        const err7 = {
          instancePath: instancePath + '/p95',
          schemaPath: '#/properties/p95/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.p99 !== void 0) {
      if (typeof data.p99 !== 'string') {
        const err8 = {
          instancePath: instancePath + '/p99',
          schemaPath: '#/properties/p99/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data['p99.9'] !== void 0) {
      if (typeof data['p99.9'] !== 'string') {
        const err9 = {
          instancePath: instancePath + '/p99.9',
          schemaPath: '#/properties/p99.9/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.requests_per_second !== void 0) {
      if (typeof data.requests_per_second !== 'string') {
        const err10 = {
          instancePath: instancePath + '/requests_per_second',
          schemaPath: '#/properties/requests_per_second/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err10];
        } else {
          vErrors.push(err10);
        }
        errors++;
      }
    }
    for (const key2 in data) {
      if (pattern15.test(key2)) {
        if (typeof data[key2] !== 'string') {
          const err11 = {
            instancePath: instancePath + '/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath:
              '#/patternProperties/%5Ep(%3F!(50%7C75%7C90%7C95%7C99%7C99%5C.9)%24)(0%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D%7C%5B1-9%5D%5B0-9%5D%3F(%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D)%3F)%24/type',
            keyword: 'type',
            params: { type: 'string' },
            message: 'must be string',
          };
          if (vErrors === null) {
            vErrors = [err11];
          } else {
            vErrors.push(err11);
          }
          errors++;
        }
      }
    }
  } else {
    const err12 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err12];
    } else {
      vErrors.push(err12);
    }
    errors++;
  }
  validate75.errors = vErrors;
  return errors === 0;
}
function validate77(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (Array.isArray(data)) {
    const len0 = data.length;
    for (let i0 = 0; i0 < len0; i0++) {
      if (typeof data[i0] !== 'string') {
        const err0 = {
          instancePath: instancePath + '/' + i0,
          schemaPath: '#/items/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
  } else {
    const err1 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'array' },
      message: 'must be array',
    };
    if (vErrors === null) {
      vErrors = [err1];
    } else {
      vErrors.push(err1);
    }
    errors++;
  }
  validate77.errors = vErrors;
  return errors === 0;
}
var schema35 = { type: ['boolean', 'string'] };
function validate79(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'boolean' && typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema35.type },
      message: 'must be boolean,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate79.errors = vErrors;
  return errors === 0;
}
var schema36 = { type: ['boolean', 'string'] };
function validate81(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (typeof data !== 'boolean' && typeof data !== 'string') {
    const err0 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: schema36.type },
      message: 'must be boolean,string',
    };
    if (vErrors === null) {
      vErrors = [err0];
    } else {
      vErrors.push(err0);
    }
    errors++;
  }
  validate81.errors = vErrors;
  return errors === 0;
}
function validate32(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema11.properties, key0) || pattern0.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.name !== void 0) {
      if (
        !validate33(data.name, {
          instancePath: instancePath + '/name',
          parentData: data,
          parentDataProperty: 'name',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate33.errors : vErrors.concat(validate33.errors);
        errors = vErrors.length;
      }
    }
    if (data.test_type !== void 0) {
      if (
        !validate35(data.test_type, {
          instancePath: instancePath + '/test_type',
          parentData: data,
          parentDataProperty: 'test_type',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate35.errors : vErrors.concat(validate35.errors);
        errors = vErrors.length;
      }
    }
    if (data.initial !== void 0) {
      if (
        !validate37(data.initial, {
          instancePath: instancePath + '/initial',
          parentData: data,
          parentDataProperty: 'initial',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate37.errors : vErrors.concat(validate37.errors);
        errors = vErrors.length;
      }
    }
    if (data.total !== void 0) {
      if (
        !validate39(data.total, {
          instancePath: instancePath + '/total',
          parentData: data,
          parentDataProperty: 'total',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate39.errors : vErrors.concat(validate39.errors);
        errors = vErrors.length;
      }
    }
    if (data.duration !== void 0) {
      if (
        !validate41(data.duration, {
          instancePath: instancePath + '/duration',
          parentData: data,
          parentDataProperty: 'duration',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate41.errors : vErrors.concat(validate41.errors);
        errors = vErrors.length;
      }
    }
    if (data.stages !== void 0) {
      if (
        !validate43(data.stages, {
          instancePath: instancePath + '/stages',
          parentData: data,
          parentDataProperty: 'stages',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate43.errors : vErrors.concat(validate43.errors);
        errors = vErrors.length;
      }
    }
    if (data.warmup !== void 0) {
      if (
        !validate47(data.warmup, {
          instancePath: instancePath + '/warmup',
          parentData: data,
          parentDataProperty: 'warmup',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate47.errors : vErrors.concat(validate47.errors);
        errors = vErrors.length;
      }
    }
    if (data.timeout !== void 0) {
      if (
        !validate49(data.timeout, {
          instancePath: instancePath + '/timeout',
          parentData: data,
          parentDataProperty: 'timeout',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate49.errors : vErrors.concat(validate49.errors);
        errors = vErrors.length;
      }
    }
    if (data.error_threshold !== void 0) {
      if (
        !validate51(data.error_threshold, {
          instancePath: instancePath + '/error_threshold',
          parentData: data,
          parentDataProperty: 'error_threshold',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate51.errors : vErrors.concat(validate51.errors);
        errors = vErrors.length;
      }
    }
    if (data.callback !== void 0) {
      if (
        !validate53(data.callback, {
          instancePath: instancePath + '/callback',
          parentData: data,
          parentDataProperty: 'callback',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
        errors = vErrors.length;
      }
    }
    if (data.callback_email !== void 0) {
      if (
        !validate55(data.callback_email, {
          instancePath: instancePath + '/callback_email',
          parentData: data,
          parentDataProperty: 'callback_email',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate55.errors : vErrors.concat(validate55.errors);
        errors = vErrors.length;
      }
    }
    if (data.scheduled_at !== void 0) {
      if (
        !validate57(data.scheduled_at, {
          instancePath: instancePath + '/scheduled_at',
          parentData: data,
          parentDataProperty: 'scheduled_at',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
        errors = vErrors.length;
      }
    }
    if (data.notes !== void 0) {
      if (
        !validate59(data.notes, {
          instancePath: instancePath + '/notes',
          parentData: data,
          parentDataProperty: 'notes',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate59.errors : vErrors.concat(validate59.errors);
        errors = vErrors.length;
      }
    }
    if (data.urls !== void 0) {
      if (
        !validate61(data.urls, {
          instancePath: instancePath + '/urls',
          parentData: data,
          parentDataProperty: 'urls',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate61.errors : vErrors.concat(validate61.errors);
        errors = vErrors.length;
      }
    }
    if (data.thresholds !== void 0) {
      if (
        !validate73(data.thresholds, {
          instancePath: instancePath + '/thresholds',
          parentData: data,
          parentDataProperty: 'thresholds',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate73.errors : vErrors.concat(validate73.errors);
        errors = vErrors.length;
      }
    }
    if (data.regression !== void 0) {
      if (
        !validate75(data.regression, {
          instancePath: instancePath + '/regression',
          parentData: data,
          parentDataProperty: 'regression',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate75.errors : vErrors.concat(validate75.errors);
        errors = vErrors.length;
      }
    }
    if (data.needs !== void 0) {
      if (
        !validate77(data.needs, {
          instancePath: instancePath + '/needs',
          parentData: data,
          parentDataProperty: 'needs',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate77.errors : vErrors.concat(validate77.errors);
        errors = vErrors.length;
      }
    }
    if (data.parallel !== void 0) {
      if (
        !validate79(data.parallel, {
          instancePath: instancePath + '/parallel',
          parentData: data,
          parentDataProperty: 'parallel',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate79.errors : vErrors.concat(validate79.errors);
        errors = vErrors.length;
      }
    }
    if (data.tls_verify !== void 0) {
      if (
        !validate81(data.tls_verify, {
          instancePath: instancePath + '/tls_verify',
          parentData: data,
          parentDataProperty: 'tls_verify',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate81.errors : vErrors.concat(validate81.errors);
        errors = vErrors.length;
      }
    }
    if (data.url !== void 0) {
      if (
        !validate62(data.url, {
          instancePath: instancePath + '/url',
          parentData: data,
          parentDataProperty: 'url',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
        errors = vErrors.length;
      }
    }
  } else {
    const err1 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err1];
    } else {
      vErrors.push(err1);
    }
    errors++;
  }
  validate32.errors = vErrors;
  return errors === 0;
}
var schema39 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    method: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
    directory: { type: 'string', minLength: 1 },
    command: { type: 'string', minLength: 1 },
    manual: { type: ['boolean', 'string'] },
    wait: { type: ['string', 'number'] },
  },
  patternProperties: { '^x-': {} },
};
function validate87(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (
        !(
          key0 === 'method' ||
          key0 === 'directory' ||
          key0 === 'command' ||
          key0 === 'manual' ||
          key0 === 'wait' ||
          pattern0.test(key0)
        )
      ) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.method !== void 0) {
      let data0 = data.method;
      if (typeof data0 === 'string') {
        if (!pattern4.test(data0)) {
          const err1 = {
            instancePath: instancePath + '/method',
            schemaPath: '#/properties/method/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
            message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
          };
          if (vErrors === null) {
            vErrors = [err1];
          } else {
            vErrors.push(err1);
          }
          errors++;
        }
      } else {
        const err2 = {
          instancePath: instancePath + '/method',
          schemaPath: '#/properties/method/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.directory !== void 0) {
      let data1 = data.directory;
      if (typeof data1 === 'string') {
        if (func3(data1) < 1) {
          const err3 = {
            instancePath: instancePath + '/directory',
            schemaPath: '#/properties/directory/minLength',
            keyword: 'minLength',
            params: { limit: 1 },
            message: 'must NOT have fewer than 1 characters',
          };
          if (vErrors === null) {
            vErrors = [err3];
          } else {
            vErrors.push(err3);
          }
          errors++;
        }
      } else {
        const err4 = {
          instancePath: instancePath + '/directory',
          schemaPath: '#/properties/directory/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.command !== void 0) {
      let data2 = data.command;
      if (typeof data2 === 'string') {
        if (func3(data2) < 1) {
          const err5 = {
            instancePath: instancePath + '/command',
            schemaPath: '#/properties/command/minLength',
            keyword: 'minLength',
            params: { limit: 1 },
            message: 'must NOT have fewer than 1 characters',
          };
          if (vErrors === null) {
            vErrors = [err5];
          } else {
            vErrors.push(err5);
          }
          errors++;
        }
      } else {
        const err6 = {
          instancePath: instancePath + '/command',
          schemaPath: '#/properties/command/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.manual !== void 0) {
      let data3 = data.manual;
      if (typeof data3 !== 'boolean' && typeof data3 !== 'string') {
        const err7 = {
          instancePath: instancePath + '/manual',
          schemaPath: '#/properties/manual/type',
          keyword: 'type',
          params: { type: schema39.properties.manual.type },
          message: 'must be boolean,string',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.wait !== void 0) {
      let data4 = data.wait;
      if (typeof data4 !== 'string' && !(typeof data4 == 'number' && isFinite(data4))) {
        const err8 = {
          instancePath: instancePath + '/wait',
          schemaPath: '#/properties/wait/type',
          keyword: 'type',
          params: { type: schema39.properties.wait.type },
          message: 'must be string,number',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
  } else {
    const err9 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err9];
    } else {
      vErrors.push(err9);
    }
    errors++;
  }
  validate87.errors = vErrors;
  return errors === 0;
}
function validate86(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(key0 === 'app' || key0 === 'verification' || pattern0.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.app !== void 0) {
      if (typeof data.app !== 'string') {
        const err1 = {
          instancePath: instancePath + '/app',
          schemaPath: '#/properties/app/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.verification !== void 0) {
      if (
        !validate87(data.verification, {
          instancePath: instancePath + '/verification',
          parentData: data,
          parentDataProperty: 'verification',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate87.errors : vErrors.concat(validate87.errors);
        errors = vErrors.length;
      }
    }
  } else {
    const err2 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err2];
    } else {
      vErrors.push(err2);
    }
    errors++;
  }
  validate86.errors = vErrors;
  return errors === 0;
}
function validate85(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      const _errs1 = errors;
      if (typeof key0 === 'string') {
        if (!pattern4.test(key0)) {
          const err0 = {
            instancePath,
            schemaPath: '#/propertyNames/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
            message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
            propertyName: key0,
          };
          if (vErrors === null) {
            vErrors = [err0];
          } else {
            vErrors.push(err0);
          }
          errors++;
        }
      } else {
        const err1 = {
          instancePath,
          schemaPath: '#/propertyNames/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
          propertyName: key0,
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
      var valid0 = _errs1 === errors;
      if (!valid0) {
        const err2 = {
          instancePath,
          schemaPath: '#/propertyNames',
          keyword: 'propertyNames',
          params: { propertyName: key0 },
          message: 'property name must be valid',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    for (const key1 in data) {
      if (!pattern0.test(key1)) {
        let data0 = data[key1];
        const _errs5 = errors;
        let valid2 = false;
        let passing0 = null;
        const _errs6 = errors;
        if (typeof data0 !== 'string') {
          const err3 = {
            instancePath: instancePath + '/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath: '#/additionalProperties/oneOf/0/type',
            keyword: 'type',
            params: { type: 'string' },
            message: 'must be string',
          };
          if (vErrors === null) {
            vErrors = [err3];
          } else {
            vErrors.push(err3);
          }
          errors++;
        }
        var _valid0 = _errs6 === errors;
        if (_valid0) {
          valid2 = true;
          passing0 = 0;
        }
        const _errs8 = errors;
        if (
          !validate86(data0, {
            instancePath: instancePath + '/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
            parentData: data,
            parentDataProperty: key1,
            rootData,
          })
        ) {
          vErrors = vErrors === null ? validate86.errors : vErrors.concat(validate86.errors);
          errors = vErrors.length;
        }
        var _valid0 = _errs8 === errors;
        if (_valid0 && valid2) {
          valid2 = false;
          passing0 = [passing0, 1];
        } else {
          if (_valid0) {
            valid2 = true;
            passing0 = 1;
          }
        }
        if (!valid2) {
          const err4 = {
            instancePath: instancePath + '/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath: '#/additionalProperties/oneOf',
            keyword: 'oneOf',
            params: { passingSchemas: passing0 },
            message: 'must match exactly one schema in oneOf',
          };
          if (vErrors === null) {
            vErrors = [err4];
          } else {
            vErrors.push(err4);
          }
          errors++;
        } else {
          errors = _errs5;
          if (vErrors !== null) {
            if (_errs5) {
              vErrors.length = _errs5;
            } else {
              vErrors = null;
            }
          }
        }
      }
    }
  } else {
    const err5 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err5];
    } else {
      vErrors.push(err5);
    }
    errors++;
  }
  validate85.errors = vErrors;
  return errors === 0;
}
var schema41 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    test_type: { enum: ['cycling', 'non-cycling', 'per-second'] },
    initial: { type: ['integer', 'string'], minimum: 0 },
    total: { type: ['integer', 'string'], minimum: 1 },
    duration: { type: ['number', 'string'] },
    stages: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/definitions/Stage' } },
    warmup: { type: ['number', 'string'] },
    timeout: { type: ['number', 'string'] },
    error_threshold: { type: ['number', 'string'], minimum: 0, maximum: 100 },
    callback: { type: 'string', examples: ['https://ci.example.com/hook'] },
    callback_email: { type: 'string', examples: ['team@example.com'] },
    scheduled_at: { type: 'string', examples: ['2026-12-24 03:00:00'] },
    notes: { type: 'string' },
    urls: {
      type: 'array',
      minItems: 1,
      items: {
        oneOf: [{ type: 'string', examples: ['https://www.example.com/'] }, { $ref: '#/definitions/Url' }],
      },
    },
    thresholds: { $ref: '#/definitions/Thresholds' },
    regression: { $ref: '#/definitions/Regression' },
    needs: { type: 'array', items: { type: 'string' } },
    parallel: { type: ['boolean', 'string'] },
    id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
    tls_verify: { type: ['boolean', 'string'] },
  },
  patternProperties: { '^x-': {} },
};
var pattern42 = new RegExp('^[A-Za-z0-9_-]{1,128}$', 'u');
function validate96(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema33.properties, key0) || pattern0.test(key0) || pattern15.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.avg_response_time !== void 0) {
      if (typeof data.avg_response_time !== 'string') {
        const err1 = {
          instancePath: instancePath + '/avg_response_time',
          schemaPath: '#/properties/avg_response_time/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.min !== void 0) {
      if (typeof data.min !== 'string') {
        const err2 = {
          instancePath: instancePath + '/min',
          schemaPath: '#/properties/min/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.max !== void 0) {
      if (typeof data.max !== 'string') {
        const err3 = {
          instancePath: instancePath + '/max',
          schemaPath: '#/properties/max/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.p50 !== void 0) {
      if (typeof data.p50 !== 'string') {
        const err4 = {
          instancePath: instancePath + '/p50',
          schemaPath: '#/properties/p50/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err4];
        } else {
          vErrors.push(err4);
        }
        errors++;
      }
    }
    if (data.p75 !== void 0) {
      if (typeof data.p75 !== 'string') {
        const err5 = {
          instancePath: instancePath + '/p75',
          schemaPath: '#/properties/p75/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.p90 !== void 0) {
      if (typeof data.p90 !== 'string') {
        const err6 = {
          instancePath: instancePath + '/p90',
          schemaPath: '#/properties/p90/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
    if (data.p95 !== void 0) {
      if (typeof data.p95 !== 'string') {
        const err7 = {
          instancePath: instancePath + '/p95',
          schemaPath: '#/properties/p95/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.p99 !== void 0) {
      if (typeof data.p99 !== 'string') {
        const err8 = {
          instancePath: instancePath + '/p99',
          schemaPath: '#/properties/p99/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err8];
        } else {
          vErrors.push(err8);
        }
        errors++;
      }
    }
    if (data['p99.9'] !== void 0) {
      if (typeof data['p99.9'] !== 'string') {
        const err9 = {
          instancePath: instancePath + '/p99.9',
          schemaPath: '#/properties/p99.9/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.requests_per_second !== void 0) {
      if (typeof data.requests_per_second !== 'string') {
        const err10 = {
          instancePath: instancePath + '/requests_per_second',
          schemaPath: '#/properties/requests_per_second/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err10];
        } else {
          vErrors.push(err10);
        }
        errors++;
      }
    }
    for (const key2 in data) {
      if (pattern15.test(key2)) {
        if (typeof data[key2] !== 'string') {
          const err11 = {
            instancePath: instancePath + '/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
            schemaPath:
              '#/patternProperties/%5Ep(%3F!(50%7C75%7C90%7C95%7C99%7C99%5C.9)%24)(0%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D%7C%5B1-9%5D%5B0-9%5D%3F(%5C.%5B0-9%5D%7B0%2C5%7D%5B1-9%5D)%3F)%24/type',
            keyword: 'type',
            params: { type: 'string' },
            message: 'must be string',
          };
          if (vErrors === null) {
            vErrors = [err11];
          } else {
            vErrors.push(err11);
          }
          errors++;
        }
      }
    }
  } else {
    const err12 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err12];
    } else {
      vErrors.push(err12);
    }
    errors++;
  }
  validate96.errors = vErrors;
  return errors === 0;
}
function validate92(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (!(func2.call(schema41.properties, key0) || pattern0.test(key0))) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.name !== void 0) {
      if (typeof data.name !== 'string') {
        const err1 = {
          instancePath: instancePath + '/name',
          schemaPath: '#/properties/name/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
    }
    if (data.test_type !== void 0) {
      let data1 = data.test_type;
      if (!(data1 === 'cycling' || data1 === 'non-cycling' || data1 === 'per-second')) {
        const err2 = {
          instancePath: instancePath + '/test_type',
          schemaPath: '#/properties/test_type/enum',
          keyword: 'enum',
          params: { allowedValues: schema41.properties.test_type.enum },
          message: 'must be equal to one of the allowed values',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.initial !== void 0) {
      let data2 = data.initial;
      if (
        !(typeof data2 == 'number' && !(data2 % 1) && !isNaN(data2) && isFinite(data2)) &&
        typeof data2 !== 'string'
      ) {
        const err3 = {
          instancePath: instancePath + '/initial',
          schemaPath: '#/properties/initial/type',
          keyword: 'type',
          params: { type: schema41.properties.initial.type },
          message: 'must be integer,string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
      if (typeof data2 == 'number' && isFinite(data2)) {
        if (data2 < 0 || isNaN(data2)) {
          const err4 = {
            instancePath: instancePath + '/initial',
            schemaPath: '#/properties/initial/minimum',
            keyword: 'minimum',
            params: { comparison: '>=', limit: 0 },
            message: 'must be >= 0',
          };
          if (vErrors === null) {
            vErrors = [err4];
          } else {
            vErrors.push(err4);
          }
          errors++;
        }
      }
    }
    if (data.total !== void 0) {
      let data3 = data.total;
      if (
        !(typeof data3 == 'number' && !(data3 % 1) && !isNaN(data3) && isFinite(data3)) &&
        typeof data3 !== 'string'
      ) {
        const err5 = {
          instancePath: instancePath + '/total',
          schemaPath: '#/properties/total/type',
          keyword: 'type',
          params: { type: schema41.properties.total.type },
          message: 'must be integer,string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
      if (typeof data3 == 'number' && isFinite(data3)) {
        if (data3 < 1 || isNaN(data3)) {
          const err6 = {
            instancePath: instancePath + '/total',
            schemaPath: '#/properties/total/minimum',
            keyword: 'minimum',
            params: { comparison: '>=', limit: 1 },
            message: 'must be >= 1',
          };
          if (vErrors === null) {
            vErrors = [err6];
          } else {
            vErrors.push(err6);
          }
          errors++;
        }
      }
    }
    if (data.duration !== void 0) {
      let data4 = data.duration;
      if (!(typeof data4 == 'number' && isFinite(data4)) && typeof data4 !== 'string') {
        const err7 = {
          instancePath: instancePath + '/duration',
          schemaPath: '#/properties/duration/type',
          keyword: 'type',
          params: { type: schema41.properties.duration.type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err7];
        } else {
          vErrors.push(err7);
        }
        errors++;
      }
    }
    if (data.stages !== void 0) {
      let data5 = data.stages;
      if (Array.isArray(data5)) {
        if (data5.length > 100) {
          const err8 = {
            instancePath: instancePath + '/stages',
            schemaPath: '#/properties/stages/maxItems',
            keyword: 'maxItems',
            params: { limit: 100 },
            message: 'must NOT have more than 100 items',
          };
          if (vErrors === null) {
            vErrors = [err8];
          } else {
            vErrors.push(err8);
          }
          errors++;
        }
        if (data5.length < 1) {
          const err9 = {
            instancePath: instancePath + '/stages',
            schemaPath: '#/properties/stages/minItems',
            keyword: 'minItems',
            params: { limit: 1 },
            message: 'must NOT have fewer than 1 items',
          };
          if (vErrors === null) {
            vErrors = [err9];
          } else {
            vErrors.push(err9);
          }
          errors++;
        }
        const len0 = data5.length;
        for (let i0 = 0; i0 < len0; i0++) {
          if (
            !validate44(data5[i0], {
              instancePath: instancePath + '/stages/' + i0,
              parentData: data5,
              parentDataProperty: i0,
              rootData,
            })
          ) {
            vErrors = vErrors === null ? validate44.errors : vErrors.concat(validate44.errors);
            errors = vErrors.length;
          }
        }
      } else {
        const err10 = {
          instancePath: instancePath + '/stages',
          schemaPath: '#/properties/stages/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err10];
        } else {
          vErrors.push(err10);
        }
        errors++;
      }
    }
    if (data.warmup !== void 0) {
      let data7 = data.warmup;
      if (!(typeof data7 == 'number' && isFinite(data7)) && typeof data7 !== 'string') {
        const err11 = {
          instancePath: instancePath + '/warmup',
          schemaPath: '#/properties/warmup/type',
          keyword: 'type',
          params: { type: schema41.properties.warmup.type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err11];
        } else {
          vErrors.push(err11);
        }
        errors++;
      }
    }
    if (data.timeout !== void 0) {
      let data8 = data.timeout;
      if (!(typeof data8 == 'number' && isFinite(data8)) && typeof data8 !== 'string') {
        const err12 = {
          instancePath: instancePath + '/timeout',
          schemaPath: '#/properties/timeout/type',
          keyword: 'type',
          params: { type: schema41.properties.timeout.type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err12];
        } else {
          vErrors.push(err12);
        }
        errors++;
      }
    }
    if (data.error_threshold !== void 0) {
      let data9 = data.error_threshold;
      if (!(typeof data9 == 'number' && isFinite(data9)) && typeof data9 !== 'string') {
        const err13 = {
          instancePath: instancePath + '/error_threshold',
          schemaPath: '#/properties/error_threshold/type',
          keyword: 'type',
          params: { type: schema41.properties.error_threshold.type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err13];
        } else {
          vErrors.push(err13);
        }
        errors++;
      }
      if (typeof data9 == 'number' && isFinite(data9)) {
        if (data9 > 100 || isNaN(data9)) {
          const err14 = {
            instancePath: instancePath + '/error_threshold',
            schemaPath: '#/properties/error_threshold/maximum',
            keyword: 'maximum',
            params: { comparison: '<=', limit: 100 },
            message: 'must be <= 100',
          };
          if (vErrors === null) {
            vErrors = [err14];
          } else {
            vErrors.push(err14);
          }
          errors++;
        }
        if (data9 < 0 || isNaN(data9)) {
          const err15 = {
            instancePath: instancePath + '/error_threshold',
            schemaPath: '#/properties/error_threshold/minimum',
            keyword: 'minimum',
            params: { comparison: '>=', limit: 0 },
            message: 'must be >= 0',
          };
          if (vErrors === null) {
            vErrors = [err15];
          } else {
            vErrors.push(err15);
          }
          errors++;
        }
      }
    }
    if (data.callback !== void 0) {
      if (typeof data.callback !== 'string') {
        const err16 = {
          instancePath: instancePath + '/callback',
          schemaPath: '#/properties/callback/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err16];
        } else {
          vErrors.push(err16);
        }
        errors++;
      }
    }
    if (data.callback_email !== void 0) {
      if (typeof data.callback_email !== 'string') {
        const err17 = {
          instancePath: instancePath + '/callback_email',
          schemaPath: '#/properties/callback_email/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err17];
        } else {
          vErrors.push(err17);
        }
        errors++;
      }
    }
    if (data.scheduled_at !== void 0) {
      if (typeof data.scheduled_at !== 'string') {
        const err18 = {
          instancePath: instancePath + '/scheduled_at',
          schemaPath: '#/properties/scheduled_at/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err18];
        } else {
          vErrors.push(err18);
        }
        errors++;
      }
    }
    if (data.notes !== void 0) {
      if (typeof data.notes !== 'string') {
        const err19 = {
          instancePath: instancePath + '/notes',
          schemaPath: '#/properties/notes/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err19];
        } else {
          vErrors.push(err19);
        }
        errors++;
      }
    }
    if (data.urls !== void 0) {
      let data14 = data.urls;
      if (Array.isArray(data14)) {
        if (data14.length < 1) {
          const err20 = {
            instancePath: instancePath + '/urls',
            schemaPath: '#/properties/urls/minItems',
            keyword: 'minItems',
            params: { limit: 1 },
            message: 'must NOT have fewer than 1 items',
          };
          if (vErrors === null) {
            vErrors = [err20];
          } else {
            vErrors.push(err20);
          }
          errors++;
        }
        const len1 = data14.length;
        for (let i1 = 0; i1 < len1; i1++) {
          let data15 = data14[i1];
          const _errs31 = errors;
          let valid5 = false;
          let passing0 = null;
          const _errs32 = errors;
          if (typeof data15 !== 'string') {
            const err21 = {
              instancePath: instancePath + '/urls/' + i1,
              schemaPath: '#/properties/urls/items/oneOf/0/type',
              keyword: 'type',
              params: { type: 'string' },
              message: 'must be string',
            };
            if (vErrors === null) {
              vErrors = [err21];
            } else {
              vErrors.push(err21);
            }
            errors++;
          }
          var _valid0 = _errs32 === errors;
          if (_valid0) {
            valid5 = true;
            passing0 = 0;
          }
          const _errs34 = errors;
          if (
            !validate62(data15, {
              instancePath: instancePath + '/urls/' + i1,
              parentData: data14,
              parentDataProperty: i1,
              rootData,
            })
          ) {
            vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
            errors = vErrors.length;
          }
          var _valid0 = _errs34 === errors;
          if (_valid0 && valid5) {
            valid5 = false;
            passing0 = [passing0, 1];
          } else {
            if (_valid0) {
              valid5 = true;
              passing0 = 1;
            }
          }
          if (!valid5) {
            const err22 = {
              instancePath: instancePath + '/urls/' + i1,
              schemaPath: '#/properties/urls/items/oneOf',
              keyword: 'oneOf',
              params: { passingSchemas: passing0 },
              message: 'must match exactly one schema in oneOf',
            };
            if (vErrors === null) {
              vErrors = [err22];
            } else {
              vErrors.push(err22);
            }
            errors++;
          } else {
            errors = _errs31;
            if (vErrors !== null) {
              if (_errs31) {
                vErrors.length = _errs31;
              } else {
                vErrors = null;
              }
            }
          }
        }
      } else {
        const err23 = {
          instancePath: instancePath + '/urls',
          schemaPath: '#/properties/urls/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err23];
        } else {
          vErrors.push(err23);
        }
        errors++;
      }
    }
    if (data.thresholds !== void 0) {
      if (
        !validate63(data.thresholds, {
          instancePath: instancePath + '/thresholds',
          parentData: data,
          parentDataProperty: 'thresholds',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate63.errors : vErrors.concat(validate63.errors);
        errors = vErrors.length;
      }
    }
    if (data.regression !== void 0) {
      if (
        !validate96(data.regression, {
          instancePath: instancePath + '/regression',
          parentData: data,
          parentDataProperty: 'regression',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate96.errors : vErrors.concat(validate96.errors);
        errors = vErrors.length;
      }
    }
    if (data.needs !== void 0) {
      let data18 = data.needs;
      if (Array.isArray(data18)) {
        const len2 = data18.length;
        for (let i2 = 0; i2 < len2; i2++) {
          if (typeof data18[i2] !== 'string') {
            const err24 = {
              instancePath: instancePath + '/needs/' + i2,
              schemaPath: '#/properties/needs/items/type',
              keyword: 'type',
              params: { type: 'string' },
              message: 'must be string',
            };
            if (vErrors === null) {
              vErrors = [err24];
            } else {
              vErrors.push(err24);
            }
            errors++;
          }
        }
      } else {
        const err25 = {
          instancePath: instancePath + '/needs',
          schemaPath: '#/properties/needs/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err25];
        } else {
          vErrors.push(err25);
        }
        errors++;
      }
    }
    if (data.parallel !== void 0) {
      let data20 = data.parallel;
      if (typeof data20 !== 'boolean' && typeof data20 !== 'string') {
        const err26 = {
          instancePath: instancePath + '/parallel',
          schemaPath: '#/properties/parallel/type',
          keyword: 'type',
          params: { type: schema41.properties.parallel.type },
          message: 'must be boolean,string',
        };
        if (vErrors === null) {
          vErrors = [err26];
        } else {
          vErrors.push(err26);
        }
        errors++;
      }
    }
    if (data.id !== void 0) {
      let data21 = data.id;
      if (typeof data21 === 'string') {
        if (!pattern42.test(data21)) {
          const err27 = {
            instancePath: instancePath + '/id',
            schemaPath: '#/properties/id/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z0-9_-]{1,128}$' },
            message: 'must match pattern "^[A-Za-z0-9_-]{1,128}$"',
          };
          if (vErrors === null) {
            vErrors = [err27];
          } else {
            vErrors.push(err27);
          }
          errors++;
        }
      } else {
        const err28 = {
          instancePath: instancePath + '/id',
          schemaPath: '#/properties/id/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err28];
        } else {
          vErrors.push(err28);
        }
        errors++;
      }
    }
    if (data.tls_verify !== void 0) {
      let data22 = data.tls_verify;
      if (typeof data22 !== 'boolean' && typeof data22 !== 'string') {
        const err29 = {
          instancePath: instancePath + '/tls_verify',
          schemaPath: '#/properties/tls_verify/type',
          keyword: 'type',
          params: { type: schema41.properties.tls_verify.type },
          message: 'must be boolean,string',
        };
        if (vErrors === null) {
          vErrors = [err29];
        } else {
          vErrors.push(err29);
        }
        errors++;
      }
    }
  } else {
    const err30 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err30];
    } else {
      vErrors.push(err30);
    }
    errors++;
  }
  validate92.errors = vErrors;
  return errors === 0;
}
function validate91(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      const _errs1 = errors;
      if (typeof key0 === 'string') {
        if (!pattern4.test(key0)) {
          const err0 = {
            instancePath,
            schemaPath: '#/propertyNames/pattern',
            keyword: 'pattern',
            params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
            message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
            propertyName: key0,
          };
          if (vErrors === null) {
            vErrors = [err0];
          } else {
            vErrors.push(err0);
          }
          errors++;
        }
      } else {
        const err1 = {
          instancePath,
          schemaPath: '#/propertyNames/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
          propertyName: key0,
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
      var valid0 = _errs1 === errors;
      if (!valid0) {
        const err2 = {
          instancePath,
          schemaPath: '#/propertyNames',
          keyword: 'propertyNames',
          params: { propertyName: key0 },
          message: 'property name must be valid',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    for (const key1 in data) {
      if (!pattern0.test(key1)) {
        if (
          !validate92(data[key1], {
            instancePath: instancePath + '/' + key1.replace(/~/g, '~0').replace(/\//g, '~1'),
            parentData: data,
            parentDataProperty: key1,
            rootData,
          })
        ) {
          vErrors = vErrors === null ? validate92.errors : vErrors.concat(validate92.errors);
          errors = vErrors.length;
        }
      }
    }
  } else {
    const err3 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err3];
    } else {
      vErrors.push(err3);
    }
    errors++;
  }
  validate91.errors = vErrors;
  return errors === 0;
}
var schema43 = {
  type: 'object',
  additionalProperties: false,
  properties: {
    max_connections: { type: ['integer', 'string'], minimum: 1 },
    max_duration: { type: ['number', 'string'] },
    hosts: { type: 'array', items: { type: 'string', minLength: 1 } },
  },
  patternProperties: { '^x-': {} },
};
function validate100(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (
        !(key0 === 'max_connections' || key0 === 'max_duration' || key0 === 'hosts' || pattern0.test(key0))
      ) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.max_connections !== void 0) {
      let data0 = data.max_connections;
      if (
        !(typeof data0 == 'number' && !(data0 % 1) && !isNaN(data0) && isFinite(data0)) &&
        typeof data0 !== 'string'
      ) {
        const err1 = {
          instancePath: instancePath + '/max_connections',
          schemaPath: '#/properties/max_connections/type',
          keyword: 'type',
          params: { type: schema43.properties.max_connections.type },
          message: 'must be integer,string',
        };
        if (vErrors === null) {
          vErrors = [err1];
        } else {
          vErrors.push(err1);
        }
        errors++;
      }
      if (typeof data0 == 'number' && isFinite(data0)) {
        if (data0 < 1 || isNaN(data0)) {
          const err2 = {
            instancePath: instancePath + '/max_connections',
            schemaPath: '#/properties/max_connections/minimum',
            keyword: 'minimum',
            params: { comparison: '>=', limit: 1 },
            message: 'must be >= 1',
          };
          if (vErrors === null) {
            vErrors = [err2];
          } else {
            vErrors.push(err2);
          }
          errors++;
        }
      }
    }
    if (data.max_duration !== void 0) {
      let data1 = data.max_duration;
      if (!(typeof data1 == 'number' && isFinite(data1)) && typeof data1 !== 'string') {
        const err3 = {
          instancePath: instancePath + '/max_duration',
          schemaPath: '#/properties/max_duration/type',
          keyword: 'type',
          params: { type: schema43.properties.max_duration.type },
          message: 'must be number,string',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.hosts !== void 0) {
      let data2 = data.hosts;
      if (Array.isArray(data2)) {
        const len0 = data2.length;
        for (let i0 = 0; i0 < len0; i0++) {
          let data3 = data2[i0];
          if (typeof data3 === 'string') {
            if (func3(data3) < 1) {
              const err4 = {
                instancePath: instancePath + '/hosts/' + i0,
                schemaPath: '#/properties/hosts/items/minLength',
                keyword: 'minLength',
                params: { limit: 1 },
                message: 'must NOT have fewer than 1 characters',
              };
              if (vErrors === null) {
                vErrors = [err4];
              } else {
                vErrors.push(err4);
              }
              errors++;
            }
          } else {
            const err5 = {
              instancePath: instancePath + '/hosts/' + i0,
              schemaPath: '#/properties/hosts/items/type',
              keyword: 'type',
              params: { type: 'string' },
              message: 'must be string',
            };
            if (vErrors === null) {
              vErrors = [err5];
            } else {
              vErrors.push(err5);
            }
            errors++;
          }
        }
      } else {
        const err6 = {
          instancePath: instancePath + '/hosts',
          schemaPath: '#/properties/hosts/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        };
        if (vErrors === null) {
          vErrors = [err6];
        } else {
          vErrors.push(err6);
        }
        errors++;
      }
    }
  } else {
    const err7 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err7];
    } else {
      vErrors.push(err7);
    }
    errors++;
  }
  validate100.errors = vErrors;
  return errors === 0;
}
function validate28(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    for (const key0 in data) {
      if (
        !(
          key0 === 'service' ||
          key0 === 'web_server' ||
          key0 === 'vars' ||
          key0 === 'defaults' ||
          key0 === 'apps' ||
          key0 === 'tests' ||
          key0 === 'limits' ||
          pattern0.test(key0)
        )
      ) {
        const err0 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err0];
        } else {
          vErrors.push(err0);
        }
        errors++;
      }
    }
    if (data.service !== void 0) {
      if (
        !validate22(data.service, {
          instancePath: instancePath + '/service',
          parentData: data,
          parentDataProperty: 'service',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
        errors = vErrors.length;
      }
    }
    if (data.web_server !== void 0) {
      if (
        !validate24(data.web_server, {
          instancePath: instancePath + '/web_server',
          parentData: data,
          parentDataProperty: 'web_server',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
        errors = vErrors.length;
      }
    }
    if (data.vars !== void 0) {
      if (
        !validate26(data.vars, {
          instancePath: instancePath + '/vars',
          parentData: data,
          parentDataProperty: 'vars',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
        errors = vErrors.length;
      }
    }
    if (data.defaults !== void 0) {
      if (
        !validate32(data.defaults, {
          instancePath: instancePath + '/defaults',
          parentData: data,
          parentDataProperty: 'defaults',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate32.errors : vErrors.concat(validate32.errors);
        errors = vErrors.length;
      }
    }
    if (data.apps !== void 0) {
      if (
        !validate85(data.apps, {
          instancePath: instancePath + '/apps',
          parentData: data,
          parentDataProperty: 'apps',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate85.errors : vErrors.concat(validate85.errors);
        errors = vErrors.length;
      }
    }
    if (data.tests !== void 0) {
      if (
        !validate91(data.tests, {
          instancePath: instancePath + '/tests',
          parentData: data,
          parentDataProperty: 'tests',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate91.errors : vErrors.concat(validate91.errors);
        errors = vErrors.length;
      }
    }
    if (data.limits !== void 0) {
      if (
        !validate100(data.limits, {
          instancePath: instancePath + '/limits',
          parentData: data,
          parentDataProperty: 'limits',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
        errors = vErrors.length;
      }
    }
  } else {
    const err1 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err1];
    } else {
      vErrors.push(err1);
    }
    errors++;
  }
  validate28.errors = vErrors;
  return errors === 0;
}
function validate21(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (data && typeof data == 'object' && !Array.isArray(data)) {
    if (data.version === void 0) {
      const err0 = {
        instancePath,
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'version' },
        message: "must have required property 'version'",
      };
      if (vErrors === null) {
        vErrors = [err0];
      } else {
        vErrors.push(err0);
      }
      errors++;
    }
    if (data.project === void 0) {
      const err1 = {
        instancePath,
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'project' },
        message: "must have required property 'project'",
      };
      if (vErrors === null) {
        vErrors = [err1];
      } else {
        vErrors.push(err1);
      }
      errors++;
    }
    for (const key0 in data) {
      if (!(func2.call(schema6.properties, key0) || pattern0.test(key0))) {
        const err2 = {
          instancePath,
          schemaPath: '#/additionalProperties',
          keyword: 'additionalProperties',
          params: { additionalProperty: key0 },
          message: 'must NOT have additional properties',
        };
        if (vErrors === null) {
          vErrors = [err2];
        } else {
          vErrors.push(err2);
        }
        errors++;
      }
    }
    if (data.version !== void 0) {
      if (1 !== data.version) {
        const err3 = {
          instancePath: instancePath + '/version',
          schemaPath: '#/properties/version/const',
          keyword: 'const',
          params: { allowedValue: 1 },
          message: 'must be equal to constant',
        };
        if (vErrors === null) {
          vErrors = [err3];
        } else {
          vErrors.push(err3);
        }
        errors++;
      }
    }
    if (data.project !== void 0) {
      let data1 = data.project;
      if (typeof data1 === 'string') {
        if (!pattern1.test(data1)) {
          const err4 = {
            instancePath: instancePath + '/project',
            schemaPath: '#/properties/project/pattern',
            keyword: 'pattern',
            params: { pattern: '^[a-z0-9-]{1,40}$' },
            message: 'must match pattern "^[a-z0-9-]{1,40}$"',
          };
          if (vErrors === null) {
            vErrors = [err4];
          } else {
            vErrors.push(err4);
          }
          errors++;
        }
      } else {
        const err5 = {
          instancePath: instancePath + '/project',
          schemaPath: '#/properties/project/type',
          keyword: 'type',
          params: { type: 'string' },
          message: 'must be string',
        };
        if (vErrors === null) {
          vErrors = [err5];
        } else {
          vErrors.push(err5);
        }
        errors++;
      }
    }
    if (data.service !== void 0) {
      if (
        !validate22(data.service, {
          instancePath: instancePath + '/service',
          parentData: data,
          parentDataProperty: 'service',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
        errors = vErrors.length;
      }
    }
    if (data.web_server !== void 0) {
      if (
        !validate24(data.web_server, {
          instancePath: instancePath + '/web_server',
          parentData: data,
          parentDataProperty: 'web_server',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
        errors = vErrors.length;
      }
    }
    if (data.vars !== void 0) {
      if (
        !validate26(data.vars, {
          instancePath: instancePath + '/vars',
          parentData: data,
          parentDataProperty: 'vars',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
        errors = vErrors.length;
      }
    }
    if (data.environments !== void 0) {
      let data5 = data.environments;
      if (data5 && typeof data5 == 'object' && !Array.isArray(data5)) {
        for (const key1 in data5) {
          const _errs10 = errors;
          if (typeof key1 === 'string') {
            if (!pattern1.test(key1)) {
              const err6 = {
                instancePath: instancePath + '/environments',
                schemaPath: '#/properties/environments/propertyNames/pattern',
                keyword: 'pattern',
                params: { pattern: '^[a-z0-9-]{1,40}$' },
                message: 'must match pattern "^[a-z0-9-]{1,40}$"',
                propertyName: key1,
              };
              if (vErrors === null) {
                vErrors = [err6];
              } else {
                vErrors.push(err6);
              }
              errors++;
            }
          } else {
            const err7 = {
              instancePath: instancePath + '/environments',
              schemaPath: '#/properties/environments/propertyNames/type',
              keyword: 'type',
              params: { type: 'string' },
              message: 'must be string',
              propertyName: key1,
            };
            if (vErrors === null) {
              vErrors = [err7];
            } else {
              vErrors.push(err7);
            }
            errors++;
          }
          var valid1 = _errs10 === errors;
          if (!valid1) {
            const err8 = {
              instancePath: instancePath + '/environments',
              schemaPath: '#/properties/environments/propertyNames',
              keyword: 'propertyNames',
              params: { propertyName: key1 },
              message: 'property name must be valid',
            };
            if (vErrors === null) {
              vErrors = [err8];
            } else {
              vErrors.push(err8);
            }
            errors++;
          }
        }
        for (const key2 in data5) {
          if (!pattern0.test(key2)) {
            if (
              !validate28(data5[key2], {
                instancePath: instancePath + '/environments/' + key2.replace(/~/g, '~0').replace(/\//g, '~1'),
                parentData: data5,
                parentDataProperty: key2,
                rootData,
              })
            ) {
              vErrors = vErrors === null ? validate28.errors : vErrors.concat(validate28.errors);
              errors = vErrors.length;
            }
          }
        }
      } else {
        const err9 = {
          instancePath: instancePath + '/environments',
          schemaPath: '#/properties/environments/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        };
        if (vErrors === null) {
          vErrors = [err9];
        } else {
          vErrors.push(err9);
        }
        errors++;
      }
    }
    if (data.defaults !== void 0) {
      if (
        !validate32(data.defaults, {
          instancePath: instancePath + '/defaults',
          parentData: data,
          parentDataProperty: 'defaults',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate32.errors : vErrors.concat(validate32.errors);
        errors = vErrors.length;
      }
    }
    if (data.apps !== void 0) {
      if (
        !validate85(data.apps, {
          instancePath: instancePath + '/apps',
          parentData: data,
          parentDataProperty: 'apps',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate85.errors : vErrors.concat(validate85.errors);
        errors = vErrors.length;
      }
    }
    if (data.tests !== void 0) {
      if (
        !validate91(data.tests, {
          instancePath: instancePath + '/tests',
          parentData: data,
          parentDataProperty: 'tests',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate91.errors : vErrors.concat(validate91.errors);
        errors = vErrors.length;
      }
    }
    if (data.moved !== void 0) {
      let data10 = data.moved;
      if (data10 && typeof data10 == 'object' && !Array.isArray(data10)) {
        for (const key3 in data10) {
          const _errs19 = errors;
          if (typeof key3 === 'string') {
            if (!pattern4.test(key3)) {
              const err10 = {
                instancePath: instancePath + '/moved',
                schemaPath: '#/properties/moved/propertyNames/pattern',
                keyword: 'pattern',
                params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
                message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
                propertyName: key3,
              };
              if (vErrors === null) {
                vErrors = [err10];
              } else {
                vErrors.push(err10);
              }
              errors++;
            }
          } else {
            const err11 = {
              instancePath: instancePath + '/moved',
              schemaPath: '#/properties/moved/propertyNames/type',
              keyword: 'type',
              params: { type: 'string' },
              message: 'must be string',
              propertyName: key3,
            };
            if (vErrors === null) {
              vErrors = [err11];
            } else {
              vErrors.push(err11);
            }
            errors++;
          }
          var valid3 = _errs19 === errors;
          if (!valid3) {
            const err12 = {
              instancePath: instancePath + '/moved',
              schemaPath: '#/properties/moved/propertyNames',
              keyword: 'propertyNames',
              params: { propertyName: key3 },
              message: 'property name must be valid',
            };
            if (vErrors === null) {
              vErrors = [err12];
            } else {
              vErrors.push(err12);
            }
            errors++;
          }
        }
        for (const key4 in data10) {
          if (!pattern0.test(key4)) {
            let data11 = data10[key4];
            if (typeof data11 === 'string') {
              if (!pattern4.test(data11)) {
                const err13 = {
                  instancePath: instancePath + '/moved/' + key4.replace(/~/g, '~0').replace(/\//g, '~1'),
                  schemaPath: '#/properties/moved/additionalProperties/pattern',
                  keyword: 'pattern',
                  params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
                  message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
                };
                if (vErrors === null) {
                  vErrors = [err13];
                } else {
                  vErrors.push(err13);
                }
                errors++;
              }
            } else {
              const err14 = {
                instancePath: instancePath + '/moved/' + key4.replace(/~/g, '~0').replace(/\//g, '~1'),
                schemaPath: '#/properties/moved/additionalProperties/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              };
              if (vErrors === null) {
                vErrors = [err14];
              } else {
                vErrors.push(err14);
              }
              errors++;
            }
          }
        }
      } else {
        const err15 = {
          instancePath: instancePath + '/moved',
          schemaPath: '#/properties/moved/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        };
        if (vErrors === null) {
          vErrors = [err15];
        } else {
          vErrors.push(err15);
        }
        errors++;
      }
    }
    if (data.limits !== void 0) {
      if (
        !validate100(data.limits, {
          instancePath: instancePath + '/limits',
          parentData: data,
          parentDataProperty: 'limits',
          rootData,
        })
      ) {
        vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
        errors = vErrors.length;
      }
    }
  } else {
    const err16 = {
      instancePath,
      schemaPath: '#/type',
      keyword: 'type',
      params: { type: 'object' },
      message: 'must be object',
    };
    if (vErrors === null) {
      vErrors = [err16];
    } else {
      vErrors.push(err16);
    }
    errors++;
  }
  validate21.errors = vErrors;
  return errors === 0;
}
var configSchema = {
  type: 'object',
  required: ['version', 'project'],
  additionalProperties: false,
  properties: {
    version: { const: 1 },
    project: { $comment: 'at most 40 characters: a-z, 0-9 and -', type: 'string' },
    service: { $ref: '#/definitions/Service' },
    web_server: { $ref: '#/definitions/WebServer' },
    vars: { $ref: '#/definitions/Vars' },
    environments: {
      type: 'object',
      propertyNames: {
        type: 'string',
        $comment: 'the name of an environment has at most 40 characters: a-z, 0-9 and -',
      },
      additionalProperties: { $ref: '#/definitions/Environment' },
      patternProperties: { '^x-': {} },
    },
    defaults: { $ref: '#/definitions/Defaults' },
    apps: { $ref: '#/definitions/Apps' },
    tests: { $ref: '#/definitions/Tests' },
    moved: {
      type: 'object',
      propertyNames: {
        type: 'string',
        $comment: 'the key of a test has at most 64 characters: A-Z, a-z, 0-9, _, . and -',
      },
      additionalProperties: {
        $comment: 'the key of a test, with at most 64 characters: A-Z, a-z, 0-9, _, . and -',
        type: 'string',
      },
      patternProperties: { '^x-': {} },
    },
    limits: { $ref: '#/definitions/Limits' },
  },
  patternProperties: { '^x-': {} },
  definitions: {
    Service: {
      type: 'object',
      additionalProperties: false,
      properties: {
        base_url: { type: 'string', examples: ['https://api.example.com'] },
        auth_header: { type: 'string' },
        api_key_env: {
          $comment: 'the name of an environment variable that begins with LOADTESTS_, in capitals',
          type: 'string',
        },
        token_prefix: { $comment: 'at most 64 characters: A-Z, a-z, 0-9, _, . and -', type: 'string' },
        request_timeout: { type: ['string', 'number'] },
        settle: { type: ['string', 'number'] },
        allow_plain_http: { type: ['boolean', 'string'] },
      },
      patternProperties: { '^x-': {} },
    },
    WebServer: {
      type: 'object',
      additionalProperties: false,
      properties: {
        command: { type: 'string', minLength: 1 },
        url: { type: 'string', examples: ['http://127.0.0.1:4080/'] },
        reuse_existing: { type: ['boolean', 'string'] },
        timeout: { type: ['string', 'number'] },
      },
      patternProperties: { '^x-': {} },
    },
    Vars: {
      type: 'object',
      propertyNames: {
        type: 'string',
        $comment:
          'the name of a variable consists of A-Z, a-z, 0-9, _ and -, and does not begin with a digit or -',
      },
      additionalProperties: { type: ['string', 'number', 'boolean'] },
      patternProperties: { '^x-': {} },
    },
    Environment: {
      type: 'object',
      additionalProperties: false,
      properties: {
        service: { $ref: '#/definitions/Service' },
        web_server: { $ref: '#/definitions/WebServer' },
        vars: { $ref: '#/definitions/Vars' },
        defaults: { $ref: '#/definitions/Defaults' },
        apps: { $ref: '#/definitions/Apps' },
        tests: { $ref: '#/definitions/Tests' },
        limits: { $ref: '#/definitions/Limits' },
      },
      patternProperties: { '^x-': {} },
    },
    Apps: {
      type: 'object',
      propertyNames: {
        type: 'string',
        $comment: 'the key of an app has at most 64 characters: A-Z, a-z, 0-9, _, . and -',
      },
      additionalProperties: { oneOf: [{ type: 'string' }, { $ref: '#/definitions/App' }] },
      patternProperties: { '^x-': {} },
    },
    Verification: {
      type: 'object',
      additionalProperties: false,
      properties: {
        method: { $comment: 'at most 64 characters: A-Z, a-z, 0-9, _, . and -', type: 'string' },
        directory: { type: 'string', minLength: 1 },
        command: { type: 'string', minLength: 1 },
        manual: { type: ['boolean', 'string'] },
        wait: { type: ['string', 'number'] },
      },
      patternProperties: { '^x-': {} },
    },
    Tests: {
      type: 'object',
      propertyNames: {
        type: 'string',
        $comment: 'the key of a test has at most 64 characters: A-Z, a-z, 0-9, _, . and -',
      },
      additionalProperties: { $ref: '#/definitions/Test' },
      patternProperties: { '^x-': {} },
    },
    Test: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        test_type: { enum: ['cycling', 'non-cycling', 'per-second'] },
        initial: { type: ['integer', 'string'], minimum: 0 },
        total: { type: ['integer', 'string'], minimum: 1 },
        duration: { type: ['number', 'string'] },
        stages: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/definitions/Stage' } },
        warmup: { type: ['number', 'string'] },
        timeout: { type: ['number', 'string'] },
        error_threshold: { type: ['number', 'string'], minimum: 0, maximum: 100 },
        callback: { type: 'string', examples: ['https://ci.example.com/hook'] },
        callback_email: { type: 'string', examples: ['team@example.com'] },
        scheduled_at: { type: 'string', examples: ['2026-12-24 03:00:00'] },
        notes: { type: 'string' },
        urls: {
          type: 'array',
          minItems: 1,
          items: {
            oneOf: [
              { type: 'string', examples: ['https://www.example.com/'] },
              { $ref: '#/definitions/Url' },
            ],
          },
        },
        thresholds: { $ref: '#/definitions/Thresholds' },
        regression: { $ref: '#/definitions/Regression' },
        needs: { type: 'array', items: { type: 'string' } },
        parallel: { type: ['boolean', 'string'] },
        id: {
          $comment: 'an ID of the service, with at most 128 characters: A-Z, a-z, 0-9, _ and -',
          type: 'string',
        },
        tls_verify: { type: ['boolean', 'string'] },
      },
      patternProperties: { '^x-': {} },
    },
    Defaults: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { $ref: '#/definitions/Test/properties/name' },
        test_type: { $ref: '#/definitions/Test/properties/test_type' },
        initial: { $ref: '#/definitions/Test/properties/initial' },
        total: { $ref: '#/definitions/Test/properties/total' },
        duration: { $ref: '#/definitions/Test/properties/duration' },
        stages: { $ref: '#/definitions/Test/properties/stages' },
        warmup: { $ref: '#/definitions/Test/properties/warmup' },
        timeout: { $ref: '#/definitions/Test/properties/timeout' },
        error_threshold: { $ref: '#/definitions/Test/properties/error_threshold' },
        callback: { $ref: '#/definitions/Test/properties/callback' },
        callback_email: { $ref: '#/definitions/Test/properties/callback_email' },
        scheduled_at: { $ref: '#/definitions/Test/properties/scheduled_at' },
        notes: { $ref: '#/definitions/Test/properties/notes' },
        urls: { $ref: '#/definitions/Test/properties/urls' },
        thresholds: { $ref: '#/definitions/Test/properties/thresholds' },
        regression: { $ref: '#/definitions/Test/properties/regression' },
        needs: { $ref: '#/definitions/Test/properties/needs' },
        parallel: { $ref: '#/definitions/Test/properties/parallel' },
        tls_verify: { $ref: '#/definitions/Test/properties/tls_verify' },
        url: { $ref: '#/definitions/Url' },
      },
      patternProperties: { '^x-': {} },
    },
    Url: {
      type: 'object',
      additionalProperties: false,
      properties: {
        name: { type: 'string' },
        thresholds: { $ref: '#/definitions/Thresholds' },
        url: { type: 'string', examples: ['https://www.example.com/'] },
        request_type: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
        credentials: { $ref: '#/definitions/Credentials' },
        headers: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
        request_params: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
        raw_post_body: { type: 'string' },
        json: {},
        payload_file_url: { type: 'string', examples: ['https://www.example.com/rows.json'] },
        payload_file: { type: 'string' },
        expect: { $ref: '#/definitions/Expectation' },
        delay: {
          oneOf: [
            { type: 'array', minItems: 2, maxItems: 2, items: { type: ['number', 'string'] } },
            { type: ['number', 'string'] },
          ],
        },
        variables: { type: 'array', items: { $ref: '#/definitions/Variable' } },
      },
      patternProperties: { '^x-': {} },
    },
    Thresholds: {
      type: 'object',
      additionalProperties: false,
      properties: {
        error_rate: { type: 'string', examples: ['< 1%'] },
        success_rate: { type: 'string', examples: ['>= 99%'] },
        avg_response_time: { type: 'string', examples: ['< 200ms'] },
        min: { type: 'string', examples: ['< 50ms'] },
        max: { type: 'string', examples: ['< 2s'] },
        p50: { type: 'string', examples: ['< 300ms'] },
        p75: { type: 'string', examples: ['< 300ms'] },
        p90: { type: 'string', examples: ['< 300ms'] },
        p95: { type: 'string', examples: ['< 300ms'] },
        p99: { type: 'string', examples: ['< 300ms'] },
        'p99.9': { type: 'string', examples: ['< 300ms'] },
        requests: { type: 'string', examples: ['>= 1000'] },
        requests_per_second: { type: 'string', examples: ['>= 50'] },
        success: { type: 'string', examples: ['>= 1000'] },
        error: { type: 'string', examples: ['< 10'] },
        timeout_error: { type: 'string', examples: ['< 10'] },
        network_error: { type: 'string', examples: ['< 10'] },
        data_received: { type: 'string', examples: ['< 1000000'] },
      },
      patternProperties: {
        '^x-': {},
        '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$': {
          $comment: 'a percentile is "p" followed by a number between 0 and 100, such as "p97" or "p99.99"',
          type: 'string',
          examples: ['< 300ms'],
        },
      },
    },
    Regression: {
      type: 'object',
      additionalProperties: false,
      properties: {
        avg_response_time: { type: 'string', examples: ['10%'] },
        min: { type: 'string', examples: ['10%'] },
        max: { type: 'string', examples: ['10%'] },
        p50: { type: 'string', examples: ['10%'] },
        p75: { type: 'string', examples: ['10%'] },
        p90: { type: 'string', examples: ['10%'] },
        p95: { type: 'string', examples: ['10%'] },
        p99: { type: 'string', examples: ['10%'] },
        'p99.9': { type: 'string', examples: ['10%'] },
        requests_per_second: { type: 'string', examples: ['5%'] },
      },
      patternProperties: {
        '^x-': {},
        '^p(?!(50|75|90|95|99|99\\.9)$)(0\\.[0-9]{0,5}[1-9]|[1-9][0-9]?(\\.[0-9]{0,5}[1-9])?)$': {
          $comment: 'a percentile is "p" followed by a number between 0 and 100, such as "p97" or "p99.99"',
          type: 'string',
          examples: ['10%'],
        },
      },
    },
    Limits: {
      type: 'object',
      additionalProperties: false,
      properties: {
        max_connections: { type: ['integer', 'string'], minimum: 1 },
        max_duration: { type: ['number', 'string'] },
        hosts: { type: 'array', items: { type: 'string', minLength: 1 } },
      },
      patternProperties: { '^x-': {} },
    },
    App: {
      type: 'object',
      additionalProperties: false,
      properties: { app: { type: 'string' }, verification: { $ref: '#/definitions/Verification' } },
      patternProperties: { '^x-': {} },
    },
    Stage: {
      type: 'object',
      required: ['for', 'to'],
      additionalProperties: false,
      properties: { for: { type: ['number', 'string'] }, to: { type: ['integer', 'string'], minimum: 0 } },
      patternProperties: { '^x-': {} },
    },
    Credentials: {
      type: 'object',
      additionalProperties: false,
      properties: { login: { type: 'string' }, password: { type: 'string' } },
      patternProperties: { '^x-': {} },
    },
    Expectation: {
      type: 'object',
      additionalProperties: false,
      properties: {
        status: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: { type: ['integer', 'string'], minimum: 200, maximum: 599 },
        },
        headers: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } },
        body: { type: 'string' },
        json: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } },
      },
      patternProperties: { '^x-': {} },
    },
    Variable: {
      type: 'object',
      required: ['name', 'property'],
      additionalProperties: false,
      properties: {
        name: {
          $comment: 'at most 64 characters: A-Z, a-z, 0-9, _ and -, beginning with a letter or _',
          type: 'string',
        },
        property: { type: 'string' },
        source: { enum: ['header', 'cookie', 'json', 'body'] },
      },
      patternProperties: { '^x-': {} },
    },
  },
};
export { configSchema, validateConfig };
