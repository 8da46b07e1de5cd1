// Written by "npm run generate" from schemas/; never edited.
/* eslint-disable */
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
var validateAppList = validate21;
var schema6 = {
  type: 'array',
  items: {
    type: 'object',
    required: ['app_id', 'app'],
    properties: {
      app: { type: 'string' },
      app_id: { type: ['string', 'number'] },
      status: { type: ['string', 'null'] },
    },
  },
};
function validate21(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (Array.isArray(data)) {
      var valid0 = true;
      const len0 = data.length;
      for (let i0 = 0; i0 < len0; i0++) {
        let data0 = data[i0];
        const _errs1 = errors;
        if (errors === _errs1) {
          if (data0 && typeof data0 == 'object' && !Array.isArray(data0)) {
            let missing0;
            if (
              (data0.app_id === void 0 && (missing0 = 'app_id')) ||
              (data0.app === void 0 && (missing0 = 'app'))
            ) {
              validate21.errors = [
                {
                  instancePath: instancePath + '/' + i0,
                  schemaPath: '#/items/required',
                  keyword: 'required',
                  params: { missingProperty: missing0 },
                  message: "must have required property '" + missing0 + "'",
                },
              ];
              return false;
            } else {
              if (data0.app !== void 0) {
                const _errs3 = errors;
                if (typeof data0.app !== 'string') {
                  validate21.errors = [
                    {
                      instancePath: instancePath + '/' + i0 + '/app',
                      schemaPath: '#/items/properties/app/type',
                      keyword: 'type',
                      params: { type: 'string' },
                      message: 'must be string',
                    },
                  ];
                  return false;
                }
                var valid1 = _errs3 === errors;
              } else {
                var valid1 = true;
              }
              if (valid1) {
                if (data0.app_id !== void 0) {
                  let data2 = data0.app_id;
                  const _errs5 = errors;
                  if (typeof data2 !== 'string' && !(typeof data2 == 'number' && isFinite(data2))) {
                    validate21.errors = [
                      {
                        instancePath: instancePath + '/' + i0 + '/app_id',
                        schemaPath: '#/items/properties/app_id/type',
                        keyword: 'type',
                        params: { type: schema6.items.properties.app_id.type },
                        message: 'must be string,number',
                      },
                    ];
                    return false;
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data0.status !== void 0) {
                    let data3 = data0.status;
                    const _errs7 = errors;
                    if (typeof data3 !== 'string' && data3 !== null) {
                      validate21.errors = [
                        {
                          instancePath: instancePath + '/' + i0 + '/status',
                          schemaPath: '#/items/properties/status/type',
                          keyword: 'type',
                          params: { type: schema6.items.properties.status.type },
                          message: 'must be string,null',
                        },
                      ];
                      return false;
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                }
              }
            }
          } else {
            validate21.errors = [
              {
                instancePath: instancePath + '/' + i0,
                schemaPath: '#/items/type',
                keyword: 'type',
                params: { type: 'object' },
                message: 'must be object',
              },
            ];
            return false;
          }
        }
        var valid0 = _errs1 === errors;
        if (!valid0) {
          break;
        }
      }
    } else {
      validate21.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        },
      ];
      return false;
    }
  }
  validate21.errors = vErrors;
  return errors === 0;
}
var validateAppRecord = validate22;
var schema7 = {
  type: 'object',
  required: ['app_id', 'app'],
  properties: {
    app: { type: 'string' },
    app_id: { type: ['string', 'number'] },
    status: { type: ['string', 'null'] },
    verification_id: { type: ['string', 'null'] },
    verification_record: { type: ['string', 'null'] },
    method: { type: ['string', 'null'] },
    checks: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['at', 'method', 'purpose', 'outcome', 'reason'],
        properties: {
          at: { type: 'string' },
          method: { type: 'string' },
          purpose: { enum: ['verify', 'run'] },
          outcome: { enum: ['verified', 'unverified', 'file_missing'] },
          reason: { type: ['string', 'null'] },
        },
      },
    },
  },
};
function validate22(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if ((data.app_id === void 0 && (missing0 = 'app_id')) || (data.app === void 0 && (missing0 = 'app'))) {
        validate22.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.app !== void 0) {
          const _errs1 = errors;
          if (typeof data.app !== 'string') {
            validate22.errors = [
              {
                instancePath: instancePath + '/app',
                schemaPath: '#/properties/app/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.app_id !== void 0) {
            let data1 = data.app_id;
            const _errs3 = errors;
            if (typeof data1 !== 'string' && !(typeof data1 == 'number' && isFinite(data1))) {
              validate22.errors = [
                {
                  instancePath: instancePath + '/app_id',
                  schemaPath: '#/properties/app_id/type',
                  keyword: 'type',
                  params: { type: schema7.properties.app_id.type },
                  message: 'must be string,number',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.status !== void 0) {
              let data2 = data.status;
              const _errs5 = errors;
              if (typeof data2 !== 'string' && data2 !== null) {
                validate22.errors = [
                  {
                    instancePath: instancePath + '/status',
                    schemaPath: '#/properties/status/type',
                    keyword: 'type',
                    params: { type: schema7.properties.status.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.verification_id !== void 0) {
                let data3 = data.verification_id;
                const _errs7 = errors;
                if (typeof data3 !== 'string' && data3 !== null) {
                  validate22.errors = [
                    {
                      instancePath: instancePath + '/verification_id',
                      schemaPath: '#/properties/verification_id/type',
                      keyword: 'type',
                      params: { type: schema7.properties.verification_id.type },
                      message: 'must be string,null',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.verification_record !== void 0) {
                  let data4 = data.verification_record;
                  const _errs9 = errors;
                  if (typeof data4 !== 'string' && data4 !== null) {
                    validate22.errors = [
                      {
                        instancePath: instancePath + '/verification_record',
                        schemaPath: '#/properties/verification_record/type',
                        keyword: 'type',
                        params: { type: schema7.properties.verification_record.type },
                        message: 'must be string,null',
                      },
                    ];
                    return false;
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.method !== void 0) {
                    let data5 = data.method;
                    const _errs11 = errors;
                    if (typeof data5 !== 'string' && data5 !== null) {
                      validate22.errors = [
                        {
                          instancePath: instancePath + '/method',
                          schemaPath: '#/properties/method/type',
                          keyword: 'type',
                          params: { type: schema7.properties.method.type },
                          message: 'must be string,null',
                        },
                      ];
                      return false;
                    }
                    var valid0 = _errs11 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.checks !== void 0) {
                      let data6 = data.checks;
                      const _errs13 = errors;
                      if (!Array.isArray(data6) && data6 !== null) {
                        validate22.errors = [
                          {
                            instancePath: instancePath + '/checks',
                            schemaPath: '#/properties/checks/type',
                            keyword: 'type',
                            params: { type: schema7.properties.checks.type },
                            message: 'must be array,null',
                          },
                        ];
                        return false;
                      }
                      if (errors === _errs13) {
                        if (Array.isArray(data6)) {
                          var valid1 = true;
                          const len0 = data6.length;
                          for (let i0 = 0; i0 < len0; i0++) {
                            let data7 = data6[i0];
                            const _errs15 = errors;
                            if (errors === _errs15) {
                              if (data7 && typeof data7 == 'object' && !Array.isArray(data7)) {
                                let missing1;
                                if (
                                  (data7.at === void 0 && (missing1 = 'at')) ||
                                  (data7.method === void 0 && (missing1 = 'method')) ||
                                  (data7.purpose === void 0 && (missing1 = 'purpose')) ||
                                  (data7.outcome === void 0 && (missing1 = 'outcome')) ||
                                  (data7.reason === void 0 && (missing1 = 'reason'))
                                ) {
                                  validate22.errors = [
                                    {
                                      instancePath: instancePath + '/checks/' + i0,
                                      schemaPath: '#/properties/checks/items/required',
                                      keyword: 'required',
                                      params: { missingProperty: missing1 },
                                      message: "must have required property '" + missing1 + "'",
                                    },
                                  ];
                                  return false;
                                } else {
                                  if (data7.at !== void 0) {
                                    const _errs17 = errors;
                                    if (typeof data7.at !== 'string') {
                                      validate22.errors = [
                                        {
                                          instancePath: instancePath + '/checks/' + i0 + '/at',
                                          schemaPath: '#/properties/checks/items/properties/at/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid2 = _errs17 === errors;
                                  } else {
                                    var valid2 = true;
                                  }
                                  if (valid2) {
                                    if (data7.method !== void 0) {
                                      const _errs19 = errors;
                                      if (typeof data7.method !== 'string') {
                                        validate22.errors = [
                                          {
                                            instancePath: instancePath + '/checks/' + i0 + '/method',
                                            schemaPath: '#/properties/checks/items/properties/method/type',
                                            keyword: 'type',
                                            params: { type: 'string' },
                                            message: 'must be string',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid2 = _errs19 === errors;
                                    } else {
                                      var valid2 = true;
                                    }
                                    if (valid2) {
                                      if (data7.purpose !== void 0) {
                                        let data10 = data7.purpose;
                                        const _errs21 = errors;
                                        if (!(data10 === 'verify' || data10 === 'run')) {
                                          validate22.errors = [
                                            {
                                              instancePath: instancePath + '/checks/' + i0 + '/purpose',
                                              schemaPath: '#/properties/checks/items/properties/purpose/enum',
                                              keyword: 'enum',
                                              params: {
                                                allowedValues:
                                                  schema7.properties.checks.items.properties.purpose.enum,
                                              },
                                              message: 'must be equal to one of the allowed values',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid2 = _errs21 === errors;
                                      } else {
                                        var valid2 = true;
                                      }
                                      if (valid2) {
                                        if (data7.outcome !== void 0) {
                                          let data11 = data7.outcome;
                                          const _errs22 = errors;
                                          if (!(
                                            data11 === 'verified' ||
                                            data11 === 'unverified' ||
                                            data11 === 'file_missing'
                                          )) {
                                            validate22.errors = [
                                              {
                                                instancePath: instancePath + '/checks/' + i0 + '/outcome',
                                                schemaPath:
                                                  '#/properties/checks/items/properties/outcome/enum',
                                                keyword: 'enum',
                                                params: {
                                                  allowedValues:
                                                    schema7.properties.checks.items.properties.outcome.enum,
                                                },
                                                message: 'must be equal to one of the allowed values',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid2 = _errs22 === errors;
                                        } else {
                                          var valid2 = true;
                                        }
                                        if (valid2) {
                                          if (data7.reason !== void 0) {
                                            let data12 = data7.reason;
                                            const _errs23 = errors;
                                            if (typeof data12 !== 'string' && data12 !== null) {
                                              validate22.errors = [
                                                {
                                                  instancePath: instancePath + '/checks/' + i0 + '/reason',
                                                  schemaPath:
                                                    '#/properties/checks/items/properties/reason/type',
                                                  keyword: 'type',
                                                  params: {
                                                    type: schema7.properties.checks.items.properties.reason
                                                      .type,
                                                  },
                                                  message: 'must be string,null',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid2 = _errs23 === errors;
                                          } else {
                                            var valid2 = true;
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              } else {
                                validate22.errors = [
                                  {
                                    instancePath: instancePath + '/checks/' + i0,
                                    schemaPath: '#/properties/checks/items/type',
                                    keyword: 'type',
                                    params: { type: 'object' },
                                    message: 'must be object',
                                  },
                                ];
                                return false;
                              }
                            }
                            var valid1 = _errs15 === errors;
                            if (!valid1) {
                              break;
                            }
                          }
                        }
                      }
                      var valid0 = _errs13 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate22.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate22.errors = vErrors;
  return errors === 0;
}
var validateAppRegistered = validate23;
var schema8 = {
  type: 'object',
  required: ['message', 'app_id'],
  properties: {
    message: { type: 'string' },
    app_id: { type: ['string', 'number'] },
    verification_id: { type: ['string', 'null'] },
  },
};
function validate23(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.message === void 0 && (missing0 = 'message')) ||
        (data.app_id === void 0 && (missing0 = 'app_id'))
      ) {
        validate23.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.message !== void 0) {
          const _errs1 = errors;
          if (typeof data.message !== 'string') {
            validate23.errors = [
              {
                instancePath: instancePath + '/message',
                schemaPath: '#/properties/message/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.app_id !== void 0) {
            let data1 = data.app_id;
            const _errs3 = errors;
            if (typeof data1 !== 'string' && !(typeof data1 == 'number' && isFinite(data1))) {
              validate23.errors = [
                {
                  instancePath: instancePath + '/app_id',
                  schemaPath: '#/properties/app_id/type',
                  keyword: 'type',
                  params: { type: schema8.properties.app_id.type },
                  message: 'must be string,number',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.verification_id !== void 0) {
              let data2 = data.verification_id;
              const _errs5 = errors;
              if (typeof data2 !== 'string' && data2 !== null) {
                validate23.errors = [
                  {
                    instancePath: instancePath + '/verification_id',
                    schemaPath: '#/properties/verification_id/type',
                    keyword: 'type',
                    params: { type: schema8.properties.verification_id.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate23.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate23.errors = vErrors;
  return errors === 0;
}
var validateAppVerified = validate24;
var schema9 = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' }, app_id: { type: ['string', 'number'] } },
};
function validate24(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (data.message === void 0 && (missing0 = 'message')) {
        validate24.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.message !== void 0) {
          const _errs1 = errors;
          if (typeof data.message !== 'string') {
            validate24.errors = [
              {
                instancePath: instancePath + '/message',
                schemaPath: '#/properties/message/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.app_id !== void 0) {
            let data1 = data.app_id;
            const _errs3 = errors;
            if (typeof data1 !== 'string' && !(typeof data1 == 'number' && isFinite(data1))) {
              validate24.errors = [
                {
                  instancePath: instancePath + '/app_id',
                  schemaPath: '#/properties/app_id/type',
                  keyword: 'type',
                  params: { type: schema9.properties.app_id.type },
                  message: 'must be string,number',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate24.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate24.errors = vErrors;
  return errors === 0;
}
var validateCallbackList = validate25;
var schema10 = {
  type: 'array',
  items: {
    type: 'object',
    required: [
      'callback_id',
      'test_id',
      'result_id',
      'channel',
      'host',
      'state',
      'attempts',
      'next_attempt_at',
      'last_error',
      'created_at',
    ],
    properties: {
      callback_id: { type: 'string' },
      test_id: { type: 'string' },
      result_id: { type: 'string' },
      channel: { type: 'string' },
      host: { type: 'string' },
      state: { type: 'string' },
      attempts: { type: 'number' },
      next_attempt_at: { type: ['string', 'null'] },
      last_error: { type: ['string', 'null'] },
      created_at: { type: 'string' },
    },
  },
};
function validate25(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (Array.isArray(data)) {
      var valid0 = true;
      const len0 = data.length;
      for (let i0 = 0; i0 < len0; i0++) {
        let data0 = data[i0];
        const _errs1 = errors;
        if (errors === _errs1) {
          if (data0 && typeof data0 == 'object' && !Array.isArray(data0)) {
            let missing0;
            if (
              (data0.callback_id === void 0 && (missing0 = 'callback_id')) ||
              (data0.test_id === void 0 && (missing0 = 'test_id')) ||
              (data0.result_id === void 0 && (missing0 = 'result_id')) ||
              (data0.channel === void 0 && (missing0 = 'channel')) ||
              (data0.host === void 0 && (missing0 = 'host')) ||
              (data0.state === void 0 && (missing0 = 'state')) ||
              (data0.attempts === void 0 && (missing0 = 'attempts')) ||
              (data0.next_attempt_at === void 0 && (missing0 = 'next_attempt_at')) ||
              (data0.last_error === void 0 && (missing0 = 'last_error')) ||
              (data0.created_at === void 0 && (missing0 = 'created_at'))
            ) {
              validate25.errors = [
                {
                  instancePath: instancePath + '/' + i0,
                  schemaPath: '#/items/required',
                  keyword: 'required',
                  params: { missingProperty: missing0 },
                  message: "must have required property '" + missing0 + "'",
                },
              ];
              return false;
            } else {
              if (data0.callback_id !== void 0) {
                const _errs3 = errors;
                if (typeof data0.callback_id !== 'string') {
                  validate25.errors = [
                    {
                      instancePath: instancePath + '/' + i0 + '/callback_id',
                      schemaPath: '#/items/properties/callback_id/type',
                      keyword: 'type',
                      params: { type: 'string' },
                      message: 'must be string',
                    },
                  ];
                  return false;
                }
                var valid1 = _errs3 === errors;
              } else {
                var valid1 = true;
              }
              if (valid1) {
                if (data0.test_id !== void 0) {
                  const _errs5 = errors;
                  if (typeof data0.test_id !== 'string') {
                    validate25.errors = [
                      {
                        instancePath: instancePath + '/' + i0 + '/test_id',
                        schemaPath: '#/items/properties/test_id/type',
                        keyword: 'type',
                        params: { type: 'string' },
                        message: 'must be string',
                      },
                    ];
                    return false;
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data0.result_id !== void 0) {
                    const _errs7 = errors;
                    if (typeof data0.result_id !== 'string') {
                      validate25.errors = [
                        {
                          instancePath: instancePath + '/' + i0 + '/result_id',
                          schemaPath: '#/items/properties/result_id/type',
                          keyword: 'type',
                          params: { type: 'string' },
                          message: 'must be string',
                        },
                      ];
                      return false;
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    if (data0.channel !== void 0) {
                      const _errs9 = errors;
                      if (typeof data0.channel !== 'string') {
                        validate25.errors = [
                          {
                            instancePath: instancePath + '/' + i0 + '/channel',
                            schemaPath: '#/items/properties/channel/type',
                            keyword: 'type',
                            params: { type: 'string' },
                            message: 'must be string',
                          },
                        ];
                        return false;
                      }
                      var valid1 = _errs9 === errors;
                    } else {
                      var valid1 = true;
                    }
                    if (valid1) {
                      if (data0.host !== void 0) {
                        const _errs11 = errors;
                        if (typeof data0.host !== 'string') {
                          validate25.errors = [
                            {
                              instancePath: instancePath + '/' + i0 + '/host',
                              schemaPath: '#/items/properties/host/type',
                              keyword: 'type',
                              params: { type: 'string' },
                              message: 'must be string',
                            },
                          ];
                          return false;
                        }
                        var valid1 = _errs11 === errors;
                      } else {
                        var valid1 = true;
                      }
                      if (valid1) {
                        if (data0.state !== void 0) {
                          const _errs13 = errors;
                          if (typeof data0.state !== 'string') {
                            validate25.errors = [
                              {
                                instancePath: instancePath + '/' + i0 + '/state',
                                schemaPath: '#/items/properties/state/type',
                                keyword: 'type',
                                params: { type: 'string' },
                                message: 'must be string',
                              },
                            ];
                            return false;
                          }
                          var valid1 = _errs13 === errors;
                        } else {
                          var valid1 = true;
                        }
                        if (valid1) {
                          if (data0.attempts !== void 0) {
                            let data7 = data0.attempts;
                            const _errs15 = errors;
                            if (!(typeof data7 == 'number' && isFinite(data7))) {
                              validate25.errors = [
                                {
                                  instancePath: instancePath + '/' + i0 + '/attempts',
                                  schemaPath: '#/items/properties/attempts/type',
                                  keyword: 'type',
                                  params: { type: 'number' },
                                  message: 'must be number',
                                },
                              ];
                              return false;
                            }
                            var valid1 = _errs15 === errors;
                          } else {
                            var valid1 = true;
                          }
                          if (valid1) {
                            if (data0.next_attempt_at !== void 0) {
                              let data8 = data0.next_attempt_at;
                              const _errs17 = errors;
                              if (typeof data8 !== 'string' && data8 !== null) {
                                validate25.errors = [
                                  {
                                    instancePath: instancePath + '/' + i0 + '/next_attempt_at',
                                    schemaPath: '#/items/properties/next_attempt_at/type',
                                    keyword: 'type',
                                    params: { type: schema10.items.properties.next_attempt_at.type },
                                    message: 'must be string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid1 = _errs17 === errors;
                            } else {
                              var valid1 = true;
                            }
                            if (valid1) {
                              if (data0.last_error !== void 0) {
                                let data9 = data0.last_error;
                                const _errs19 = errors;
                                if (typeof data9 !== 'string' && data9 !== null) {
                                  validate25.errors = [
                                    {
                                      instancePath: instancePath + '/' + i0 + '/last_error',
                                      schemaPath: '#/items/properties/last_error/type',
                                      keyword: 'type',
                                      params: { type: schema10.items.properties.last_error.type },
                                      message: 'must be string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid1 = _errs19 === errors;
                              } else {
                                var valid1 = true;
                              }
                              if (valid1) {
                                if (data0.created_at !== void 0) {
                                  const _errs21 = errors;
                                  if (typeof data0.created_at !== 'string') {
                                    validate25.errors = [
                                      {
                                        instancePath: instancePath + '/' + i0 + '/created_at',
                                        schemaPath: '#/items/properties/created_at/type',
                                        keyword: 'type',
                                        params: { type: 'string' },
                                        message: 'must be string',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid1 = _errs21 === errors;
                                } else {
                                  var valid1 = true;
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          } else {
            validate25.errors = [
              {
                instancePath: instancePath + '/' + i0,
                schemaPath: '#/items/type',
                keyword: 'type',
                params: { type: 'object' },
                message: 'must be object',
              },
            ];
            return false;
          }
        }
        var valid0 = _errs1 === errors;
        if (!valid0) {
          break;
        }
      }
    } else {
      validate25.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        },
      ];
      return false;
    }
  }
  validate25.errors = vErrors;
  return errors === 0;
}
var validateError = validate26;
function validate26(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.message === void 0 && (missing0 = 'message')) ||
        (data.errors === void 0 && (missing0 = 'errors'))
      ) {
        validate26.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.message !== void 0) {
          const _errs1 = errors;
          if ('error' !== data.message) {
            validate26.errors = [
              {
                instancePath: instancePath + '/message',
                schemaPath: '#/properties/message/const',
                keyword: 'const',
                params: { allowedValue: 'error' },
                message: 'must be equal to constant',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.errors !== void 0) {
            let data1 = data.errors;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (Array.isArray(data1)) {
                var valid1 = true;
                const len0 = data1.length;
                for (let i0 = 0; i0 < len0; i0++) {
                  const _errs4 = errors;
                  if (typeof data1[i0] !== 'string') {
                    validate26.errors = [
                      {
                        instancePath: instancePath + '/errors/' + i0,
                        schemaPath: '#/properties/errors/items/type',
                        keyword: 'type',
                        params: { type: 'string' },
                        message: 'must be string',
                      },
                    ];
                    return false;
                  }
                  var valid1 = _errs4 === errors;
                  if (!valid1) {
                    break;
                  }
                }
              } else {
                validate26.errors = [
                  {
                    instancePath: instancePath + '/errors',
                    schemaPath: '#/properties/errors/type',
                    keyword: 'type',
                    params: { type: 'array' },
                    message: 'must be array',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.app_id !== void 0) {
              const _errs6 = errors;
              if (typeof data.app_id !== 'string') {
                validate26.errors = [
                  {
                    instancePath: instancePath + '/app_id',
                    schemaPath: '#/properties/app_id/type',
                    keyword: 'type',
                    params: { type: 'string' },
                    message: 'must be string',
                  },
                ];
                return false;
              }
              var valid0 = _errs6 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.code !== void 0) {
                const _errs8 = errors;
                if (typeof data.code !== 'string') {
                  validate26.errors = [
                    {
                      instancePath: instancePath + '/code',
                      schemaPath: '#/properties/code/type',
                      keyword: 'type',
                      params: { type: 'string' },
                      message: 'must be string',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs8 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate26.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate26.errors = vErrors;
  return errors === 0;
}
var validateJudgement = validate27;
var schema12 = {
  type: 'object',
  additionalProperties: false,
  required: ['verdict', 'thresholds'],
  properties: {
    verdict: { enum: ['pass', 'fail', 'inconclusive', 'none'] },
    reason: { type: ['string', 'null'], maxLength: 2e3 },
    thresholds: {
      type: 'array',
      maxItems: 1e3,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['metric', 'limit', 'value', 'verdict'],
        properties: {
          metric: { type: 'string', maxLength: 100 },
          url: { type: 'string', maxLength: 2e3 },
          limit: { type: 'string', maxLength: 100 },
          value: { type: ['number', 'null'] },
          bounds: {
            type: 'object',
            additionalProperties: false,
            required: ['low', 'high'],
            properties: { low: { type: 'number' }, high: { type: ['number', 'null'] } },
          },
          verdict: { enum: ['pass', 'fail', 'inconclusive'] },
          reason: { type: 'string', maxLength: 2e3 },
          regression: {
            type: 'object',
            additionalProperties: false,
            required: ['worse', 'allowed', 'baseline', 'runs', 'baseline_runs', 'spread'],
            properties: {
              worse: { type: 'number' },
              allowed: { type: 'number' },
              baseline: { type: 'number' },
              runs: { type: 'integer' },
              baseline_runs: { type: 'integer' },
              spread: { type: ['number', 'null'] },
            },
          },
        },
      },
    },
  },
};
var func2 = require_ucs2length().default;
function validate27(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.verdict === void 0 && (missing0 = 'verdict')) ||
        (data.thresholds === void 0 && (missing0 = 'thresholds'))
      ) {
        validate27.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === 'verdict' || key0 === 'reason' || key0 === 'thresholds')) {
            validate27.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.verdict !== void 0) {
            let data0 = data.verdict;
            const _errs2 = errors;
            if (!(data0 === 'pass' || data0 === 'fail' || data0 === 'inconclusive' || data0 === 'none')) {
              validate27.errors = [
                {
                  instancePath: instancePath + '/verdict',
                  schemaPath: '#/properties/verdict/enum',
                  keyword: 'enum',
                  params: { allowedValues: schema12.properties.verdict.enum },
                  message: 'must be equal to one of the allowed values',
                },
              ];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.reason !== void 0) {
              let data1 = data.reason;
              const _errs3 = errors;
              if (typeof data1 !== 'string' && data1 !== null) {
                validate27.errors = [
                  {
                    instancePath: instancePath + '/reason',
                    schemaPath: '#/properties/reason/type',
                    keyword: 'type',
                    params: { type: schema12.properties.reason.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              if (errors === _errs3) {
                if (typeof data1 === 'string') {
                  if (func2(data1) > 2e3) {
                    validate27.errors = [
                      {
                        instancePath: instancePath + '/reason',
                        schemaPath: '#/properties/reason/maxLength',
                        keyword: 'maxLength',
                        params: { limit: 2e3 },
                        message: 'must NOT have more than 2000 characters',
                      },
                    ];
                    return false;
                  }
                }
              }
              var valid0 = _errs3 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.thresholds !== void 0) {
                let data2 = data.thresholds;
                const _errs5 = errors;
                if (errors === _errs5) {
                  if (Array.isArray(data2)) {
                    if (data2.length > 1e3) {
                      validate27.errors = [
                        {
                          instancePath: instancePath + '/thresholds',
                          schemaPath: '#/properties/thresholds/maxItems',
                          keyword: 'maxItems',
                          params: { limit: 1e3 },
                          message: 'must NOT have more than 1000 items',
                        },
                      ];
                      return false;
                    } else {
                      var valid1 = true;
                      const len0 = data2.length;
                      for (let i0 = 0; i0 < len0; i0++) {
                        let data3 = data2[i0];
                        const _errs7 = errors;
                        if (errors === _errs7) {
                          if (data3 && typeof data3 == 'object' && !Array.isArray(data3)) {
                            let missing1;
                            if (
                              (data3.metric === void 0 && (missing1 = 'metric')) ||
                              (data3.limit === void 0 && (missing1 = 'limit')) ||
                              (data3.value === void 0 && (missing1 = 'value')) ||
                              (data3.verdict === void 0 && (missing1 = 'verdict'))
                            ) {
                              validate27.errors = [
                                {
                                  instancePath: instancePath + '/thresholds/' + i0,
                                  schemaPath: '#/properties/thresholds/items/required',
                                  keyword: 'required',
                                  params: { missingProperty: missing1 },
                                  message: "must have required property '" + missing1 + "'",
                                },
                              ];
                              return false;
                            } else {
                              const _errs9 = errors;
                              for (const key1 in data3) {
                                if (!(
                                  key1 === 'metric' ||
                                  key1 === 'url' ||
                                  key1 === 'limit' ||
                                  key1 === 'value' ||
                                  key1 === 'bounds' ||
                                  key1 === 'verdict' ||
                                  key1 === 'reason' ||
                                  key1 === 'regression'
                                )) {
                                  validate27.errors = [
                                    {
                                      instancePath: instancePath + '/thresholds/' + i0,
                                      schemaPath: '#/properties/thresholds/items/additionalProperties',
                                      keyword: 'additionalProperties',
                                      params: { additionalProperty: key1 },
                                      message: 'must NOT have additional properties',
                                    },
                                  ];
                                  return false;
                                  break;
                                }
                              }
                              if (_errs9 === errors) {
                                if (data3.metric !== void 0) {
                                  let data4 = data3.metric;
                                  const _errs10 = errors;
                                  if (errors === _errs10) {
                                    if (typeof data4 === 'string') {
                                      if (func2(data4) > 100) {
                                        validate27.errors = [
                                          {
                                            instancePath: instancePath + '/thresholds/' + i0 + '/metric',
                                            schemaPath:
                                              '#/properties/thresholds/items/properties/metric/maxLength',
                                            keyword: 'maxLength',
                                            params: { limit: 100 },
                                            message: 'must NOT have more than 100 characters',
                                          },
                                        ];
                                        return false;
                                      }
                                    } else {
                                      validate27.errors = [
                                        {
                                          instancePath: instancePath + '/thresholds/' + i0 + '/metric',
                                          schemaPath: '#/properties/thresholds/items/properties/metric/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                  }
                                  var valid2 = _errs10 === errors;
                                } else {
                                  var valid2 = true;
                                }
                                if (valid2) {
                                  if (data3.url !== void 0) {
                                    let data5 = data3.url;
                                    const _errs12 = errors;
                                    if (errors === _errs12) {
                                      if (typeof data5 === 'string') {
                                        if (func2(data5) > 2e3) {
                                          validate27.errors = [
                                            {
                                              instancePath: instancePath + '/thresholds/' + i0 + '/url',
                                              schemaPath:
                                                '#/properties/thresholds/items/properties/url/maxLength',
                                              keyword: 'maxLength',
                                              params: { limit: 2e3 },
                                              message: 'must NOT have more than 2000 characters',
                                            },
                                          ];
                                          return false;
                                        }
                                      } else {
                                        validate27.errors = [
                                          {
                                            instancePath: instancePath + '/thresholds/' + i0 + '/url',
                                            schemaPath: '#/properties/thresholds/items/properties/url/type',
                                            keyword: 'type',
                                            params: { type: 'string' },
                                            message: 'must be string',
                                          },
                                        ];
                                        return false;
                                      }
                                    }
                                    var valid2 = _errs12 === errors;
                                  } else {
                                    var valid2 = true;
                                  }
                                  if (valid2) {
                                    if (data3.limit !== void 0) {
                                      let data6 = data3.limit;
                                      const _errs14 = errors;
                                      if (errors === _errs14) {
                                        if (typeof data6 === 'string') {
                                          if (func2(data6) > 100) {
                                            validate27.errors = [
                                              {
                                                instancePath: instancePath + '/thresholds/' + i0 + '/limit',
                                                schemaPath:
                                                  '#/properties/thresholds/items/properties/limit/maxLength',
                                                keyword: 'maxLength',
                                                params: { limit: 100 },
                                                message: 'must NOT have more than 100 characters',
                                              },
                                            ];
                                            return false;
                                          }
                                        } else {
                                          validate27.errors = [
                                            {
                                              instancePath: instancePath + '/thresholds/' + i0 + '/limit',
                                              schemaPath:
                                                '#/properties/thresholds/items/properties/limit/type',
                                              keyword: 'type',
                                              params: { type: 'string' },
                                              message: 'must be string',
                                            },
                                          ];
                                          return false;
                                        }
                                      }
                                      var valid2 = _errs14 === errors;
                                    } else {
                                      var valid2 = true;
                                    }
                                    if (valid2) {
                                      if (data3.value !== void 0) {
                                        let data7 = data3.value;
                                        const _errs16 = errors;
                                        if (
                                          !(typeof data7 == 'number' && isFinite(data7)) &&
                                          data7 !== null
                                        ) {
                                          validate27.errors = [
                                            {
                                              instancePath: instancePath + '/thresholds/' + i0 + '/value',
                                              schemaPath:
                                                '#/properties/thresholds/items/properties/value/type',
                                              keyword: 'type',
                                              params: {
                                                type: schema12.properties.thresholds.items.properties.value
                                                  .type,
                                              },
                                              message: 'must be number,null',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid2 = _errs16 === errors;
                                      } else {
                                        var valid2 = true;
                                      }
                                      if (valid2) {
                                        if (data3.bounds !== void 0) {
                                          let data8 = data3.bounds;
                                          const _errs18 = errors;
                                          if (errors === _errs18) {
                                            if (data8 && typeof data8 == 'object' && !Array.isArray(data8)) {
                                              let missing2;
                                              if (
                                                (data8.low === void 0 && (missing2 = 'low')) ||
                                                (data8.high === void 0 && (missing2 = 'high'))
                                              ) {
                                                validate27.errors = [
                                                  {
                                                    instancePath:
                                                      instancePath + '/thresholds/' + i0 + '/bounds',
                                                    schemaPath:
                                                      '#/properties/thresholds/items/properties/bounds/required',
                                                    keyword: 'required',
                                                    params: { missingProperty: missing2 },
                                                    message: "must have required property '" + missing2 + "'",
                                                  },
                                                ];
                                                return false;
                                              } else {
                                                const _errs20 = errors;
                                                for (const key2 in data8) {
                                                  if (!(key2 === 'low' || key2 === 'high')) {
                                                    validate27.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/thresholds/' + i0 + '/bounds',
                                                        schemaPath:
                                                          '#/properties/thresholds/items/properties/bounds/additionalProperties',
                                                        keyword: 'additionalProperties',
                                                        params: { additionalProperty: key2 },
                                                        message: 'must NOT have additional properties',
                                                      },
                                                    ];
                                                    return false;
                                                    break;
                                                  }
                                                }
                                                if (_errs20 === errors) {
                                                  if (data8.low !== void 0) {
                                                    let data9 = data8.low;
                                                    const _errs21 = errors;
                                                    if (!(typeof data9 == 'number' && isFinite(data9))) {
                                                      validate27.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/thresholds/' +
                                                            i0 +
                                                            '/bounds/low',
                                                          schemaPath:
                                                            '#/properties/thresholds/items/properties/bounds/properties/low/type',
                                                          keyword: 'type',
                                                          params: { type: 'number' },
                                                          message: 'must be number',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                    var valid3 = _errs21 === errors;
                                                  } else {
                                                    var valid3 = true;
                                                  }
                                                  if (valid3) {
                                                    if (data8.high !== void 0) {
                                                      let data10 = data8.high;
                                                      const _errs23 = errors;
                                                      if (
                                                        !(typeof data10 == 'number' && isFinite(data10)) &&
                                                        data10 !== null
                                                      ) {
                                                        validate27.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath +
                                                              '/thresholds/' +
                                                              i0 +
                                                              '/bounds/high',
                                                            schemaPath:
                                                              '#/properties/thresholds/items/properties/bounds/properties/high/type',
                                                            keyword: 'type',
                                                            params: {
                                                              type: schema12.properties.thresholds.items
                                                                .properties.bounds.properties.high.type,
                                                            },
                                                            message: 'must be number,null',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                      var valid3 = _errs23 === errors;
                                                    } else {
                                                      var valid3 = true;
                                                    }
                                                  }
                                                }
                                              }
                                            } else {
                                              validate27.errors = [
                                                {
                                                  instancePath:
                                                    instancePath + '/thresholds/' + i0 + '/bounds',
                                                  schemaPath:
                                                    '#/properties/thresholds/items/properties/bounds/type',
                                                  keyword: 'type',
                                                  params: { type: 'object' },
                                                  message: 'must be object',
                                                },
                                              ];
                                              return false;
                                            }
                                          }
                                          var valid2 = _errs18 === errors;
                                        } else {
                                          var valid2 = true;
                                        }
                                        if (valid2) {
                                          if (data3.verdict !== void 0) {
                                            let data11 = data3.verdict;
                                            const _errs25 = errors;
                                            if (!(
                                              data11 === 'pass' ||
                                              data11 === 'fail' ||
                                              data11 === 'inconclusive'
                                            )) {
                                              validate27.errors = [
                                                {
                                                  instancePath:
                                                    instancePath + '/thresholds/' + i0 + '/verdict',
                                                  schemaPath:
                                                    '#/properties/thresholds/items/properties/verdict/enum',
                                                  keyword: 'enum',
                                                  params: {
                                                    allowedValues:
                                                      schema12.properties.thresholds.items.properties.verdict
                                                        .enum,
                                                  },
                                                  message: 'must be equal to one of the allowed values',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid2 = _errs25 === errors;
                                          } else {
                                            var valid2 = true;
                                          }
                                          if (valid2) {
                                            if (data3.reason !== void 0) {
                                              let data12 = data3.reason;
                                              const _errs26 = errors;
                                              if (errors === _errs26) {
                                                if (typeof data12 === 'string') {
                                                  if (func2(data12) > 2e3) {
                                                    validate27.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/thresholds/' + i0 + '/reason',
                                                        schemaPath:
                                                          '#/properties/thresholds/items/properties/reason/maxLength',
                                                        keyword: 'maxLength',
                                                        params: { limit: 2e3 },
                                                        message: 'must NOT have more than 2000 characters',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                } else {
                                                  validate27.errors = [
                                                    {
                                                      instancePath:
                                                        instancePath + '/thresholds/' + i0 + '/reason',
                                                      schemaPath:
                                                        '#/properties/thresholds/items/properties/reason/type',
                                                      keyword: 'type',
                                                      params: { type: 'string' },
                                                      message: 'must be string',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                              }
                                              var valid2 = _errs26 === errors;
                                            } else {
                                              var valid2 = true;
                                            }
                                            if (valid2) {
                                              if (data3.regression !== void 0) {
                                                let data13 = data3.regression;
                                                const _errs28 = errors;
                                                if (errors === _errs28) {
                                                  if (
                                                    data13 &&
                                                    typeof data13 == 'object' &&
                                                    !Array.isArray(data13)
                                                  ) {
                                                    let missing3;
                                                    if (
                                                      (data13.worse === void 0 && (missing3 = 'worse')) ||
                                                      (data13.allowed === void 0 && (missing3 = 'allowed')) ||
                                                      (data13.baseline === void 0 &&
                                                        (missing3 = 'baseline')) ||
                                                      (data13.runs === void 0 && (missing3 = 'runs')) ||
                                                      (data13.baseline_runs === void 0 &&
                                                        (missing3 = 'baseline_runs')) ||
                                                      (data13.spread === void 0 && (missing3 = 'spread'))
                                                    ) {
                                                      validate27.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/thresholds/' +
                                                            i0 +
                                                            '/regression',
                                                          schemaPath:
                                                            '#/properties/thresholds/items/properties/regression/required',
                                                          keyword: 'required',
                                                          params: { missingProperty: missing3 },
                                                          message:
                                                            "must have required property '" + missing3 + "'",
                                                        },
                                                      ];
                                                      return false;
                                                    } else {
                                                      const _errs30 = errors;
                                                      for (const key3 in data13) {
                                                        if (!(
                                                          key3 === 'worse' ||
                                                          key3 === 'allowed' ||
                                                          key3 === 'baseline' ||
                                                          key3 === 'runs' ||
                                                          key3 === 'baseline_runs' ||
                                                          key3 === 'spread'
                                                        )) {
                                                          validate27.errors = [
                                                            {
                                                              instancePath:
                                                                instancePath +
                                                                '/thresholds/' +
                                                                i0 +
                                                                '/regression',
                                                              schemaPath:
                                                                '#/properties/thresholds/items/properties/regression/additionalProperties',
                                                              keyword: 'additionalProperties',
                                                              params: { additionalProperty: key3 },
                                                              message: 'must NOT have additional properties',
                                                            },
                                                          ];
                                                          return false;
                                                          break;
                                                        }
                                                      }
                                                      if (_errs30 === errors) {
                                                        if (data13.worse !== void 0) {
                                                          let data14 = data13.worse;
                                                          const _errs31 = errors;
                                                          if (!(
                                                            typeof data14 == 'number' && isFinite(data14)
                                                          )) {
                                                            validate27.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath +
                                                                  '/thresholds/' +
                                                                  i0 +
                                                                  '/regression/worse',
                                                                schemaPath:
                                                                  '#/properties/thresholds/items/properties/regression/properties/worse/type',
                                                                keyword: 'type',
                                                                params: { type: 'number' },
                                                                message: 'must be number',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                          var valid4 = _errs31 === errors;
                                                        } else {
                                                          var valid4 = true;
                                                        }
                                                        if (valid4) {
                                                          if (data13.allowed !== void 0) {
                                                            let data15 = data13.allowed;
                                                            const _errs33 = errors;
                                                            if (!(
                                                              typeof data15 == 'number' && isFinite(data15)
                                                            )) {
                                                              validate27.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath +
                                                                    '/thresholds/' +
                                                                    i0 +
                                                                    '/regression/allowed',
                                                                  schemaPath:
                                                                    '#/properties/thresholds/items/properties/regression/properties/allowed/type',
                                                                  keyword: 'type',
                                                                  params: { type: 'number' },
                                                                  message: 'must be number',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid4 = _errs33 === errors;
                                                          } else {
                                                            var valid4 = true;
                                                          }
                                                          if (valid4) {
                                                            if (data13.baseline !== void 0) {
                                                              let data16 = data13.baseline;
                                                              const _errs35 = errors;
                                                              if (!(
                                                                typeof data16 == 'number' && isFinite(data16)
                                                              )) {
                                                                validate27.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath +
                                                                      '/thresholds/' +
                                                                      i0 +
                                                                      '/regression/baseline',
                                                                    schemaPath:
                                                                      '#/properties/thresholds/items/properties/regression/properties/baseline/type',
                                                                    keyword: 'type',
                                                                    params: { type: 'number' },
                                                                    message: 'must be number',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                              var valid4 = _errs35 === errors;
                                                            } else {
                                                              var valid4 = true;
                                                            }
                                                            if (valid4) {
                                                              if (data13.runs !== void 0) {
                                                                let data17 = data13.runs;
                                                                const _errs37 = errors;
                                                                if (!(
                                                                  typeof data17 == 'number' &&
                                                                  !(data17 % 1) &&
                                                                  !isNaN(data17) &&
                                                                  isFinite(data17)
                                                                )) {
                                                                  validate27.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath +
                                                                        '/thresholds/' +
                                                                        i0 +
                                                                        '/regression/runs',
                                                                      schemaPath:
                                                                        '#/properties/thresholds/items/properties/regression/properties/runs/type',
                                                                      keyword: 'type',
                                                                      params: { type: 'integer' },
                                                                      message: 'must be integer',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                                var valid4 = _errs37 === errors;
                                                              } else {
                                                                var valid4 = true;
                                                              }
                                                              if (valid4) {
                                                                if (data13.baseline_runs !== void 0) {
                                                                  let data18 = data13.baseline_runs;
                                                                  const _errs39 = errors;
                                                                  if (!(
                                                                    typeof data18 == 'number' &&
                                                                    !(data18 % 1) &&
                                                                    !isNaN(data18) &&
                                                                    isFinite(data18)
                                                                  )) {
                                                                    validate27.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/thresholds/' +
                                                                          i0 +
                                                                          '/regression/baseline_runs',
                                                                        schemaPath:
                                                                          '#/properties/thresholds/items/properties/regression/properties/baseline_runs/type',
                                                                        keyword: 'type',
                                                                        params: { type: 'integer' },
                                                                        message: 'must be integer',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                  var valid4 = _errs39 === errors;
                                                                } else {
                                                                  var valid4 = true;
                                                                }
                                                                if (valid4) {
                                                                  if (data13.spread !== void 0) {
                                                                    let data19 = data13.spread;
                                                                    const _errs41 = errors;
                                                                    if (
                                                                      !(
                                                                        typeof data19 == 'number' &&
                                                                        isFinite(data19)
                                                                      ) &&
                                                                      data19 !== null
                                                                    ) {
                                                                      validate27.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/thresholds/' +
                                                                            i0 +
                                                                            '/regression/spread',
                                                                          schemaPath:
                                                                            '#/properties/thresholds/items/properties/regression/properties/spread/type',
                                                                          keyword: 'type',
                                                                          params: {
                                                                            type: schema12.properties
                                                                              .thresholds.items.properties
                                                                              .regression.properties.spread
                                                                              .type,
                                                                          },
                                                                          message: 'must be number,null',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                    var valid4 = _errs41 === errors;
                                                                  } else {
                                                                    var valid4 = true;
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  } else {
                                                    validate27.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/thresholds/' + i0 + '/regression',
                                                        schemaPath:
                                                          '#/properties/thresholds/items/properties/regression/type',
                                                        keyword: 'type',
                                                        params: { type: 'object' },
                                                        message: 'must be object',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                }
                                                var valid2 = _errs28 === errors;
                                              } else {
                                                var valid2 = true;
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          } else {
                            validate27.errors = [
                              {
                                instancePath: instancePath + '/thresholds/' + i0,
                                schemaPath: '#/properties/thresholds/items/type',
                                keyword: 'type',
                                params: { type: 'object' },
                                message: 'must be object',
                              },
                            ];
                            return false;
                          }
                        }
                        var valid1 = _errs7 === errors;
                        if (!valid1) {
                          break;
                        }
                      }
                    }
                  } else {
                    validate27.errors = [
                      {
                        instancePath: instancePath + '/thresholds',
                        schemaPath: '#/properties/thresholds/type',
                        keyword: 'type',
                        params: { type: 'array' },
                        message: 'must be array',
                      },
                    ];
                    return false;
                  }
                }
                var valid0 = _errs5 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate27.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate27.errors = vErrors;
  return errors === 0;
}
var validateKeyList = validate28;
var schema13 = {
  type: 'array',
  items: {
    type: 'object',
    required: ['title', 'project', 'environment', 'key', 'status', 'test_ids', 'tests', 'runs', 'last'],
    properties: {
      title: { type: 'string' },
      project: { type: ['string', 'null'] },
      environment: { type: ['string', 'null'] },
      key: { type: ['string', 'null'] },
      status: { type: 'string' },
      test_ids: { type: 'array', items: { type: 'string' } },
      tests: { type: 'number' },
      runs: { type: 'number' },
      last: { type: ['object', 'null'], required: ['test_id'], properties: { test_id: { type: 'string' } } },
    },
  },
};
function validate28(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (Array.isArray(data)) {
      var valid0 = true;
      const len0 = data.length;
      for (let i0 = 0; i0 < len0; i0++) {
        let data0 = data[i0];
        const _errs1 = errors;
        if (errors === _errs1) {
          if (data0 && typeof data0 == 'object' && !Array.isArray(data0)) {
            let missing0;
            if (
              (data0.title === void 0 && (missing0 = 'title')) ||
              (data0.project === void 0 && (missing0 = 'project')) ||
              (data0.environment === void 0 && (missing0 = 'environment')) ||
              (data0.key === void 0 && (missing0 = 'key')) ||
              (data0.status === void 0 && (missing0 = 'status')) ||
              (data0.test_ids === void 0 && (missing0 = 'test_ids')) ||
              (data0.tests === void 0 && (missing0 = 'tests')) ||
              (data0.runs === void 0 && (missing0 = 'runs')) ||
              (data0.last === void 0 && (missing0 = 'last'))
            ) {
              validate28.errors = [
                {
                  instancePath: instancePath + '/' + i0,
                  schemaPath: '#/items/required',
                  keyword: 'required',
                  params: { missingProperty: missing0 },
                  message: "must have required property '" + missing0 + "'",
                },
              ];
              return false;
            } else {
              if (data0.title !== void 0) {
                const _errs3 = errors;
                if (typeof data0.title !== 'string') {
                  validate28.errors = [
                    {
                      instancePath: instancePath + '/' + i0 + '/title',
                      schemaPath: '#/items/properties/title/type',
                      keyword: 'type',
                      params: { type: 'string' },
                      message: 'must be string',
                    },
                  ];
                  return false;
                }
                var valid1 = _errs3 === errors;
              } else {
                var valid1 = true;
              }
              if (valid1) {
                if (data0.project !== void 0) {
                  let data2 = data0.project;
                  const _errs5 = errors;
                  if (typeof data2 !== 'string' && data2 !== null) {
                    validate28.errors = [
                      {
                        instancePath: instancePath + '/' + i0 + '/project',
                        schemaPath: '#/items/properties/project/type',
                        keyword: 'type',
                        params: { type: schema13.items.properties.project.type },
                        message: 'must be string,null',
                      },
                    ];
                    return false;
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data0.environment !== void 0) {
                    let data3 = data0.environment;
                    const _errs7 = errors;
                    if (typeof data3 !== 'string' && data3 !== null) {
                      validate28.errors = [
                        {
                          instancePath: instancePath + '/' + i0 + '/environment',
                          schemaPath: '#/items/properties/environment/type',
                          keyword: 'type',
                          params: { type: schema13.items.properties.environment.type },
                          message: 'must be string,null',
                        },
                      ];
                      return false;
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    if (data0.key !== void 0) {
                      let data4 = data0.key;
                      const _errs9 = errors;
                      if (typeof data4 !== 'string' && data4 !== null) {
                        validate28.errors = [
                          {
                            instancePath: instancePath + '/' + i0 + '/key',
                            schemaPath: '#/items/properties/key/type',
                            keyword: 'type',
                            params: { type: schema13.items.properties.key.type },
                            message: 'must be string,null',
                          },
                        ];
                        return false;
                      }
                      var valid1 = _errs9 === errors;
                    } else {
                      var valid1 = true;
                    }
                    if (valid1) {
                      if (data0.status !== void 0) {
                        const _errs11 = errors;
                        if (typeof data0.status !== 'string') {
                          validate28.errors = [
                            {
                              instancePath: instancePath + '/' + i0 + '/status',
                              schemaPath: '#/items/properties/status/type',
                              keyword: 'type',
                              params: { type: 'string' },
                              message: 'must be string',
                            },
                          ];
                          return false;
                        }
                        var valid1 = _errs11 === errors;
                      } else {
                        var valid1 = true;
                      }
                      if (valid1) {
                        if (data0.test_ids !== void 0) {
                          let data6 = data0.test_ids;
                          const _errs13 = errors;
                          if (errors === _errs13) {
                            if (Array.isArray(data6)) {
                              var valid2 = true;
                              const len1 = data6.length;
                              for (let i1 = 0; i1 < len1; i1++) {
                                const _errs15 = errors;
                                if (typeof data6[i1] !== 'string') {
                                  validate28.errors = [
                                    {
                                      instancePath: instancePath + '/' + i0 + '/test_ids/' + i1,
                                      schemaPath: '#/items/properties/test_ids/items/type',
                                      keyword: 'type',
                                      params: { type: 'string' },
                                      message: 'must be string',
                                    },
                                  ];
                                  return false;
                                }
                                var valid2 = _errs15 === errors;
                                if (!valid2) {
                                  break;
                                }
                              }
                            } else {
                              validate28.errors = [
                                {
                                  instancePath: instancePath + '/' + i0 + '/test_ids',
                                  schemaPath: '#/items/properties/test_ids/type',
                                  keyword: 'type',
                                  params: { type: 'array' },
                                  message: 'must be array',
                                },
                              ];
                              return false;
                            }
                          }
                          var valid1 = _errs13 === errors;
                        } else {
                          var valid1 = true;
                        }
                        if (valid1) {
                          if (data0.tests !== void 0) {
                            let data8 = data0.tests;
                            const _errs17 = errors;
                            if (!(typeof data8 == 'number' && isFinite(data8))) {
                              validate28.errors = [
                                {
                                  instancePath: instancePath + '/' + i0 + '/tests',
                                  schemaPath: '#/items/properties/tests/type',
                                  keyword: 'type',
                                  params: { type: 'number' },
                                  message: 'must be number',
                                },
                              ];
                              return false;
                            }
                            var valid1 = _errs17 === errors;
                          } else {
                            var valid1 = true;
                          }
                          if (valid1) {
                            if (data0.runs !== void 0) {
                              let data9 = data0.runs;
                              const _errs19 = errors;
                              if (!(typeof data9 == 'number' && isFinite(data9))) {
                                validate28.errors = [
                                  {
                                    instancePath: instancePath + '/' + i0 + '/runs',
                                    schemaPath: '#/items/properties/runs/type',
                                    keyword: 'type',
                                    params: { type: 'number' },
                                    message: 'must be number',
                                  },
                                ];
                                return false;
                              }
                              var valid1 = _errs19 === errors;
                            } else {
                              var valid1 = true;
                            }
                            if (valid1) {
                              if (data0.last !== void 0) {
                                let data10 = data0.last;
                                const _errs21 = errors;
                                if (
                                  !(data10 && typeof data10 == 'object' && !Array.isArray(data10)) &&
                                  data10 !== null
                                ) {
                                  validate28.errors = [
                                    {
                                      instancePath: instancePath + '/' + i0 + '/last',
                                      schemaPath: '#/items/properties/last/type',
                                      keyword: 'type',
                                      params: { type: schema13.items.properties.last.type },
                                      message: 'must be object,null',
                                    },
                                  ];
                                  return false;
                                }
                                if (errors === _errs21) {
                                  if (data10 && typeof data10 == 'object' && !Array.isArray(data10)) {
                                    let missing1;
                                    if (data10.test_id === void 0 && (missing1 = 'test_id')) {
                                      validate28.errors = [
                                        {
                                          instancePath: instancePath + '/' + i0 + '/last',
                                          schemaPath: '#/items/properties/last/required',
                                          keyword: 'required',
                                          params: { missingProperty: missing1 },
                                          message: "must have required property '" + missing1 + "'",
                                        },
                                      ];
                                      return false;
                                    } else {
                                      if (data10.test_id !== void 0) {
                                        if (typeof data10.test_id !== 'string') {
                                          validate28.errors = [
                                            {
                                              instancePath: instancePath + '/' + i0 + '/last/test_id',
                                              schemaPath: '#/items/properties/last/properties/test_id/type',
                                              keyword: 'type',
                                              params: { type: 'string' },
                                              message: 'must be string',
                                            },
                                          ];
                                          return false;
                                        }
                                      }
                                    }
                                  }
                                }
                                var valid1 = _errs21 === errors;
                              } else {
                                var valid1 = true;
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          } else {
            validate28.errors = [
              {
                instancePath: instancePath + '/' + i0,
                schemaPath: '#/items/type',
                keyword: 'type',
                params: { type: 'object' },
                message: 'must be object',
              },
            ];
            return false;
          }
        }
        var valid0 = _errs1 === errors;
        if (!valid0) {
          break;
        }
      }
    } else {
      validate28.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        },
      ];
      return false;
    }
  }
  validate28.errors = vErrors;
  return errors === 0;
}
var validateOpenapi = validate29;
function validate29(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.openapi === void 0 && (missing0 = 'openapi')) ||
        (data.info === void 0 && (missing0 = 'info')) ||
        (data.paths === void 0 && (missing0 = 'paths')) ||
        (data.components === void 0 && (missing0 = 'components'))
      ) {
        validate29.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.openapi !== void 0) {
          const _errs1 = errors;
          if (typeof data.openapi !== 'string') {
            validate29.errors = [
              {
                instancePath: instancePath + '/openapi',
                schemaPath: '#/properties/openapi/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.info !== void 0) {
            let data1 = data.info;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (data1 && typeof data1 == 'object' && !Array.isArray(data1)) {
                let missing1;
                if (data1['x-extensions'] === void 0 && (missing1 = 'x-extensions')) {
                  validate29.errors = [
                    {
                      instancePath: instancePath + '/info',
                      schemaPath: '#/properties/info/required',
                      keyword: 'required',
                      params: { missingProperty: missing1 },
                      message: "must have required property '" + missing1 + "'",
                    },
                  ];
                  return false;
                } else {
                  if (data1['x-extensions'] !== void 0) {
                    let data2 = data1['x-extensions'];
                    const _errs5 = errors;
                    if (errors === _errs5) {
                      if (Array.isArray(data2)) {
                        var valid2 = true;
                        const len0 = data2.length;
                        for (let i0 = 0; i0 < len0; i0++) {
                          const _errs7 = errors;
                          if (typeof data2[i0] !== 'string') {
                            validate29.errors = [
                              {
                                instancePath: instancePath + '/info/x-extensions/' + i0,
                                schemaPath: '#/properties/info/properties/x-extensions/items/type',
                                keyword: 'type',
                                params: { type: 'string' },
                                message: 'must be string',
                              },
                            ];
                            return false;
                          }
                          var valid2 = _errs7 === errors;
                          if (!valid2) {
                            break;
                          }
                        }
                      } else {
                        validate29.errors = [
                          {
                            instancePath: instancePath + '/info/x-extensions',
                            schemaPath: '#/properties/info/properties/x-extensions/type',
                            keyword: 'type',
                            params: { type: 'array' },
                            message: 'must be array',
                          },
                        ];
                        return false;
                      }
                    }
                  }
                }
              } else {
                validate29.errors = [
                  {
                    instancePath: instancePath + '/info',
                    schemaPath: '#/properties/info/type',
                    keyword: 'type',
                    params: { type: 'object' },
                    message: 'must be object',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.paths !== void 0) {
              let data4 = data.paths;
              const _errs9 = errors;
              if (!(data4 && typeof data4 == 'object' && !Array.isArray(data4))) {
                validate29.errors = [
                  {
                    instancePath: instancePath + '/paths',
                    schemaPath: '#/properties/paths/type',
                    keyword: 'type',
                    params: { type: 'object' },
                    message: 'must be object',
                  },
                ];
                return false;
              }
              var valid0 = _errs9 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.components !== void 0) {
                let data5 = data.components;
                const _errs11 = errors;
                if (!(data5 && typeof data5 == 'object' && !Array.isArray(data5))) {
                  validate29.errors = [
                    {
                      instancePath: instancePath + '/components',
                      schemaPath: '#/properties/components/type',
                      keyword: 'type',
                      params: { type: 'object' },
                      message: 'must be object',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs11 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate29.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate29.errors = vErrors;
  return errors === 0;
}
var validateOverview = validate30;
var schema15 = {
  type: 'object',
  required: ['now', 'running', 'scheduled', 'keys', 'apps'],
  properties: {
    now: { type: 'string' },
    running: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'test_id',
          'result_id',
          'started_at',
          'duration_ms',
          'progress',
          'title',
          'project',
          'environment',
          'key',
        ],
        properties: {
          title: { type: 'string' },
          project: { type: ['string', 'null'] },
          environment: { type: ['string', 'null'] },
          key: { type: ['string', 'null'] },
          test_id: { type: 'string' },
          result_id: { type: 'string' },
          started_at: { type: 'string' },
          duration_ms: { type: 'number' },
          progress: { type: ['object', 'null'] },
        },
      },
    },
    scheduled: {
      type: 'array',
      items: {
        type: 'object',
        required: ['test_id', 'scheduled_at', 'title', 'project', 'environment', 'key'],
        properties: {
          title: { type: 'string' },
          project: { type: ['string', 'null'] },
          environment: { type: ['string', 'null'] },
          key: { type: ['string', 'null'] },
          test_id: { type: 'string' },
          scheduled_at: { type: 'string' },
        },
      },
    },
    keys: { type: 'array', items: { type: 'object' } },
    apps: {
      type: 'object',
      required: ['verified', 'unverified'],
      properties: { verified: { type: 'number' }, unverified: { type: 'number' } },
    },
  },
};
function validate30(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.now === void 0 && (missing0 = 'now')) ||
        (data.running === void 0 && (missing0 = 'running')) ||
        (data.scheduled === void 0 && (missing0 = 'scheduled')) ||
        (data.keys === void 0 && (missing0 = 'keys')) ||
        (data.apps === void 0 && (missing0 = 'apps'))
      ) {
        validate30.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.now !== void 0) {
          const _errs1 = errors;
          if (typeof data.now !== 'string') {
            validate30.errors = [
              {
                instancePath: instancePath + '/now',
                schemaPath: '#/properties/now/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.running !== void 0) {
            let data1 = data.running;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (Array.isArray(data1)) {
                var valid1 = true;
                const len0 = data1.length;
                for (let i0 = 0; i0 < len0; i0++) {
                  let data2 = data1[i0];
                  const _errs5 = errors;
                  if (errors === _errs5) {
                    if (data2 && typeof data2 == 'object' && !Array.isArray(data2)) {
                      let missing1;
                      if (
                        (data2.test_id === void 0 && (missing1 = 'test_id')) ||
                        (data2.result_id === void 0 && (missing1 = 'result_id')) ||
                        (data2.started_at === void 0 && (missing1 = 'started_at')) ||
                        (data2.duration_ms === void 0 && (missing1 = 'duration_ms')) ||
                        (data2.progress === void 0 && (missing1 = 'progress')) ||
                        (data2.title === void 0 && (missing1 = 'title')) ||
                        (data2.project === void 0 && (missing1 = 'project')) ||
                        (data2.environment === void 0 && (missing1 = 'environment')) ||
                        (data2.key === void 0 && (missing1 = 'key'))
                      ) {
                        validate30.errors = [
                          {
                            instancePath: instancePath + '/running/' + i0,
                            schemaPath: '#/properties/running/items/required',
                            keyword: 'required',
                            params: { missingProperty: missing1 },
                            message: "must have required property '" + missing1 + "'",
                          },
                        ];
                        return false;
                      } else {
                        if (data2.title !== void 0) {
                          const _errs7 = errors;
                          if (typeof data2.title !== 'string') {
                            validate30.errors = [
                              {
                                instancePath: instancePath + '/running/' + i0 + '/title',
                                schemaPath: '#/properties/running/items/properties/title/type',
                                keyword: 'type',
                                params: { type: 'string' },
                                message: 'must be string',
                              },
                            ];
                            return false;
                          }
                          var valid2 = _errs7 === errors;
                        } else {
                          var valid2 = true;
                        }
                        if (valid2) {
                          if (data2.project !== void 0) {
                            let data4 = data2.project;
                            const _errs9 = errors;
                            if (typeof data4 !== 'string' && data4 !== null) {
                              validate30.errors = [
                                {
                                  instancePath: instancePath + '/running/' + i0 + '/project',
                                  schemaPath: '#/properties/running/items/properties/project/type',
                                  keyword: 'type',
                                  params: { type: schema15.properties.running.items.properties.project.type },
                                  message: 'must be string,null',
                                },
                              ];
                              return false;
                            }
                            var valid2 = _errs9 === errors;
                          } else {
                            var valid2 = true;
                          }
                          if (valid2) {
                            if (data2.environment !== void 0) {
                              let data5 = data2.environment;
                              const _errs11 = errors;
                              if (typeof data5 !== 'string' && data5 !== null) {
                                validate30.errors = [
                                  {
                                    instancePath: instancePath + '/running/' + i0 + '/environment',
                                    schemaPath: '#/properties/running/items/properties/environment/type',
                                    keyword: 'type',
                                    params: {
                                      type: schema15.properties.running.items.properties.environment.type,
                                    },
                                    message: 'must be string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid2 = _errs11 === errors;
                            } else {
                              var valid2 = true;
                            }
                            if (valid2) {
                              if (data2.key !== void 0) {
                                let data6 = data2.key;
                                const _errs13 = errors;
                                if (typeof data6 !== 'string' && data6 !== null) {
                                  validate30.errors = [
                                    {
                                      instancePath: instancePath + '/running/' + i0 + '/key',
                                      schemaPath: '#/properties/running/items/properties/key/type',
                                      keyword: 'type',
                                      params: { type: schema15.properties.running.items.properties.key.type },
                                      message: 'must be string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid2 = _errs13 === errors;
                              } else {
                                var valid2 = true;
                              }
                              if (valid2) {
                                if (data2.test_id !== void 0) {
                                  const _errs15 = errors;
                                  if (typeof data2.test_id !== 'string') {
                                    validate30.errors = [
                                      {
                                        instancePath: instancePath + '/running/' + i0 + '/test_id',
                                        schemaPath: '#/properties/running/items/properties/test_id/type',
                                        keyword: 'type',
                                        params: { type: 'string' },
                                        message: 'must be string',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid2 = _errs15 === errors;
                                } else {
                                  var valid2 = true;
                                }
                                if (valid2) {
                                  if (data2.result_id !== void 0) {
                                    const _errs17 = errors;
                                    if (typeof data2.result_id !== 'string') {
                                      validate30.errors = [
                                        {
                                          instancePath: instancePath + '/running/' + i0 + '/result_id',
                                          schemaPath: '#/properties/running/items/properties/result_id/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid2 = _errs17 === errors;
                                  } else {
                                    var valid2 = true;
                                  }
                                  if (valid2) {
                                    if (data2.started_at !== void 0) {
                                      const _errs19 = errors;
                                      if (typeof data2.started_at !== 'string') {
                                        validate30.errors = [
                                          {
                                            instancePath: instancePath + '/running/' + i0 + '/started_at',
                                            schemaPath:
                                              '#/properties/running/items/properties/started_at/type',
                                            keyword: 'type',
                                            params: { type: 'string' },
                                            message: 'must be string',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid2 = _errs19 === errors;
                                    } else {
                                      var valid2 = true;
                                    }
                                    if (valid2) {
                                      if (data2.duration_ms !== void 0) {
                                        let data10 = data2.duration_ms;
                                        const _errs21 = errors;
                                        if (!(typeof data10 == 'number' && isFinite(data10))) {
                                          validate30.errors = [
                                            {
                                              instancePath: instancePath + '/running/' + i0 + '/duration_ms',
                                              schemaPath:
                                                '#/properties/running/items/properties/duration_ms/type',
                                              keyword: 'type',
                                              params: { type: 'number' },
                                              message: 'must be number',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid2 = _errs21 === errors;
                                      } else {
                                        var valid2 = true;
                                      }
                                      if (valid2) {
                                        if (data2.progress !== void 0) {
                                          let data11 = data2.progress;
                                          const _errs23 = errors;
                                          if (
                                            !(
                                              data11 &&
                                              typeof data11 == 'object' &&
                                              !Array.isArray(data11)
                                            ) &&
                                            data11 !== null
                                          ) {
                                            validate30.errors = [
                                              {
                                                instancePath: instancePath + '/running/' + i0 + '/progress',
                                                schemaPath:
                                                  '#/properties/running/items/properties/progress/type',
                                                keyword: 'type',
                                                params: {
                                                  type: schema15.properties.running.items.properties.progress
                                                    .type,
                                                },
                                                message: 'must be object,null',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid2 = _errs23 === errors;
                                        } else {
                                          var valid2 = true;
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    } else {
                      validate30.errors = [
                        {
                          instancePath: instancePath + '/running/' + i0,
                          schemaPath: '#/properties/running/items/type',
                          keyword: 'type',
                          params: { type: 'object' },
                          message: 'must be object',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid1 = _errs5 === errors;
                  if (!valid1) {
                    break;
                  }
                }
              } else {
                validate30.errors = [
                  {
                    instancePath: instancePath + '/running',
                    schemaPath: '#/properties/running/type',
                    keyword: 'type',
                    params: { type: 'array' },
                    message: 'must be array',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.scheduled !== void 0) {
              let data12 = data.scheduled;
              const _errs25 = errors;
              if (errors === _errs25) {
                if (Array.isArray(data12)) {
                  var valid3 = true;
                  const len1 = data12.length;
                  for (let i1 = 0; i1 < len1; i1++) {
                    let data13 = data12[i1];
                    const _errs27 = errors;
                    if (errors === _errs27) {
                      if (data13 && typeof data13 == 'object' && !Array.isArray(data13)) {
                        let missing2;
                        if (
                          (data13.test_id === void 0 && (missing2 = 'test_id')) ||
                          (data13.scheduled_at === void 0 && (missing2 = 'scheduled_at')) ||
                          (data13.title === void 0 && (missing2 = 'title')) ||
                          (data13.project === void 0 && (missing2 = 'project')) ||
                          (data13.environment === void 0 && (missing2 = 'environment')) ||
                          (data13.key === void 0 && (missing2 = 'key'))
                        ) {
                          validate30.errors = [
                            {
                              instancePath: instancePath + '/scheduled/' + i1,
                              schemaPath: '#/properties/scheduled/items/required',
                              keyword: 'required',
                              params: { missingProperty: missing2 },
                              message: "must have required property '" + missing2 + "'",
                            },
                          ];
                          return false;
                        } else {
                          if (data13.title !== void 0) {
                            const _errs29 = errors;
                            if (typeof data13.title !== 'string') {
                              validate30.errors = [
                                {
                                  instancePath: instancePath + '/scheduled/' + i1 + '/title',
                                  schemaPath: '#/properties/scheduled/items/properties/title/type',
                                  keyword: 'type',
                                  params: { type: 'string' },
                                  message: 'must be string',
                                },
                              ];
                              return false;
                            }
                            var valid4 = _errs29 === errors;
                          } else {
                            var valid4 = true;
                          }
                          if (valid4) {
                            if (data13.project !== void 0) {
                              let data15 = data13.project;
                              const _errs31 = errors;
                              if (typeof data15 !== 'string' && data15 !== null) {
                                validate30.errors = [
                                  {
                                    instancePath: instancePath + '/scheduled/' + i1 + '/project',
                                    schemaPath: '#/properties/scheduled/items/properties/project/type',
                                    keyword: 'type',
                                    params: {
                                      type: schema15.properties.scheduled.items.properties.project.type,
                                    },
                                    message: 'must be string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid4 = _errs31 === errors;
                            } else {
                              var valid4 = true;
                            }
                            if (valid4) {
                              if (data13.environment !== void 0) {
                                let data16 = data13.environment;
                                const _errs33 = errors;
                                if (typeof data16 !== 'string' && data16 !== null) {
                                  validate30.errors = [
                                    {
                                      instancePath: instancePath + '/scheduled/' + i1 + '/environment',
                                      schemaPath: '#/properties/scheduled/items/properties/environment/type',
                                      keyword: 'type',
                                      params: {
                                        type: schema15.properties.scheduled.items.properties.environment.type,
                                      },
                                      message: 'must be string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid4 = _errs33 === errors;
                              } else {
                                var valid4 = true;
                              }
                              if (valid4) {
                                if (data13.key !== void 0) {
                                  let data17 = data13.key;
                                  const _errs35 = errors;
                                  if (typeof data17 !== 'string' && data17 !== null) {
                                    validate30.errors = [
                                      {
                                        instancePath: instancePath + '/scheduled/' + i1 + '/key',
                                        schemaPath: '#/properties/scheduled/items/properties/key/type',
                                        keyword: 'type',
                                        params: {
                                          type: schema15.properties.scheduled.items.properties.key.type,
                                        },
                                        message: 'must be string,null',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid4 = _errs35 === errors;
                                } else {
                                  var valid4 = true;
                                }
                                if (valid4) {
                                  if (data13.test_id !== void 0) {
                                    const _errs37 = errors;
                                    if (typeof data13.test_id !== 'string') {
                                      validate30.errors = [
                                        {
                                          instancePath: instancePath + '/scheduled/' + i1 + '/test_id',
                                          schemaPath: '#/properties/scheduled/items/properties/test_id/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid4 = _errs37 === errors;
                                  } else {
                                    var valid4 = true;
                                  }
                                  if (valid4) {
                                    if (data13.scheduled_at !== void 0) {
                                      const _errs39 = errors;
                                      if (typeof data13.scheduled_at !== 'string') {
                                        validate30.errors = [
                                          {
                                            instancePath: instancePath + '/scheduled/' + i1 + '/scheduled_at',
                                            schemaPath:
                                              '#/properties/scheduled/items/properties/scheduled_at/type',
                                            keyword: 'type',
                                            params: { type: 'string' },
                                            message: 'must be string',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid4 = _errs39 === errors;
                                    } else {
                                      var valid4 = true;
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      } else {
                        validate30.errors = [
                          {
                            instancePath: instancePath + '/scheduled/' + i1,
                            schemaPath: '#/properties/scheduled/items/type',
                            keyword: 'type',
                            params: { type: 'object' },
                            message: 'must be object',
                          },
                        ];
                        return false;
                      }
                    }
                    var valid3 = _errs27 === errors;
                    if (!valid3) {
                      break;
                    }
                  }
                } else {
                  validate30.errors = [
                    {
                      instancePath: instancePath + '/scheduled',
                      schemaPath: '#/properties/scheduled/type',
                      keyword: 'type',
                      params: { type: 'array' },
                      message: 'must be array',
                    },
                  ];
                  return false;
                }
              }
              var valid0 = _errs25 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.keys !== void 0) {
                let data20 = data.keys;
                const _errs41 = errors;
                if (errors === _errs41) {
                  if (Array.isArray(data20)) {
                    var valid5 = true;
                    const len2 = data20.length;
                    for (let i2 = 0; i2 < len2; i2++) {
                      let data21 = data20[i2];
                      const _errs43 = errors;
                      if (!(data21 && typeof data21 == 'object' && !Array.isArray(data21))) {
                        validate30.errors = [
                          {
                            instancePath: instancePath + '/keys/' + i2,
                            schemaPath: '#/properties/keys/items/type',
                            keyword: 'type',
                            params: { type: 'object' },
                            message: 'must be object',
                          },
                        ];
                        return false;
                      }
                      var valid5 = _errs43 === errors;
                      if (!valid5) {
                        break;
                      }
                    }
                  } else {
                    validate30.errors = [
                      {
                        instancePath: instancePath + '/keys',
                        schemaPath: '#/properties/keys/type',
                        keyword: 'type',
                        params: { type: 'array' },
                        message: 'must be array',
                      },
                    ];
                    return false;
                  }
                }
                var valid0 = _errs41 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.apps !== void 0) {
                  let data22 = data.apps;
                  const _errs45 = errors;
                  if (errors === _errs45) {
                    if (data22 && typeof data22 == 'object' && !Array.isArray(data22)) {
                      let missing3;
                      if (
                        (data22.verified === void 0 && (missing3 = 'verified')) ||
                        (data22.unverified === void 0 && (missing3 = 'unverified'))
                      ) {
                        validate30.errors = [
                          {
                            instancePath: instancePath + '/apps',
                            schemaPath: '#/properties/apps/required',
                            keyword: 'required',
                            params: { missingProperty: missing3 },
                            message: "must have required property '" + missing3 + "'",
                          },
                        ];
                        return false;
                      } else {
                        if (data22.verified !== void 0) {
                          let data23 = data22.verified;
                          const _errs47 = errors;
                          if (!(typeof data23 == 'number' && isFinite(data23))) {
                            validate30.errors = [
                              {
                                instancePath: instancePath + '/apps/verified',
                                schemaPath: '#/properties/apps/properties/verified/type',
                                keyword: 'type',
                                params: { type: 'number' },
                                message: 'must be number',
                              },
                            ];
                            return false;
                          }
                          var valid6 = _errs47 === errors;
                        } else {
                          var valid6 = true;
                        }
                        if (valid6) {
                          if (data22.unverified !== void 0) {
                            let data24 = data22.unverified;
                            const _errs49 = errors;
                            if (!(typeof data24 == 'number' && isFinite(data24))) {
                              validate30.errors = [
                                {
                                  instancePath: instancePath + '/apps/unverified',
                                  schemaPath: '#/properties/apps/properties/unverified/type',
                                  keyword: 'type',
                                  params: { type: 'number' },
                                  message: 'must be number',
                                },
                              ];
                              return false;
                            }
                            var valid6 = _errs49 === errors;
                          } else {
                            var valid6 = true;
                          }
                        }
                      }
                    } else {
                      validate30.errors = [
                        {
                          instancePath: instancePath + '/apps',
                          schemaPath: '#/properties/apps/type',
                          keyword: 'type',
                          params: { type: 'object' },
                          message: 'must be object',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid0 = _errs45 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate30.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate30.errors = vErrors;
  return errors === 0;
}
var validatePageCode = validate31;
var pattern0 = new RegExp('^[0-9a-f]{32}$', 'u');
function validate31(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.code === void 0 && (missing0 = 'code')) ||
        (data.expires_at === void 0 && (missing0 = 'expires_at'))
      ) {
        validate31.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.code !== void 0) {
          let data0 = data.code;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (typeof data0 === 'string') {
              if (!pattern0.test(data0)) {
                validate31.errors = [
                  {
                    instancePath: instancePath + '/code',
                    schemaPath: '#/properties/code/pattern',
                    keyword: 'pattern',
                    params: { pattern: '^[0-9a-f]{32}$' },
                    message: 'must match pattern "^[0-9a-f]{32}$"',
                  },
                ];
                return false;
              }
            } else {
              validate31.errors = [
                {
                  instancePath: instancePath + '/code',
                  schemaPath: '#/properties/code/type',
                  keyword: 'type',
                  params: { type: 'string' },
                  message: 'must be string',
                },
              ];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.expires_at !== void 0) {
            const _errs3 = errors;
            if (typeof data.expires_at !== 'string') {
              validate31.errors = [
                {
                  instancePath: instancePath + '/expires_at',
                  schemaPath: '#/properties/expires_at/type',
                  keyword: 'type',
                  params: { type: 'string' },
                  message: 'must be string',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate31.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate31.errors = vErrors;
  return errors === 0;
}
var validatePageSessionRequest = validate32;
function validate32(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (data.code === void 0 && (missing0 = 'code')) {
        validate32.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === 'code')) {
            validate32.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.code !== void 0) {
            let data0 = data.code;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === 'string') {
                if (func2(data0) > 100) {
                  validate32.errors = [
                    {
                      instancePath: instancePath + '/code',
                      schemaPath: '#/properties/code/maxLength',
                      keyword: 'maxLength',
                      params: { limit: 100 },
                      message: 'must NOT have more than 100 characters',
                    },
                  ];
                  return false;
                }
              } else {
                validate32.errors = [
                  {
                    instancePath: instancePath + '/code',
                    schemaPath: '#/properties/code/type',
                    keyword: 'type',
                    params: { type: 'string' },
                    message: 'must be string',
                  },
                ];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate32.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate32.errors = vErrors;
  return errors === 0;
}
var validatePageSession = validate33;
var pattern1 = new RegExp('^[0-9a-f]{64}$', 'u');
function validate33(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.token === void 0 && (missing0 = 'token')) ||
        (data.expires_at === void 0 && (missing0 = 'expires_at'))
      ) {
        validate33.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.token !== void 0) {
          let data0 = data.token;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (typeof data0 === 'string') {
              if (!pattern1.test(data0)) {
                validate33.errors = [
                  {
                    instancePath: instancePath + '/token',
                    schemaPath: '#/properties/token/pattern',
                    keyword: 'pattern',
                    params: { pattern: '^[0-9a-f]{64}$' },
                    message: 'must match pattern "^[0-9a-f]{64}$"',
                  },
                ];
                return false;
              }
            } else {
              validate33.errors = [
                {
                  instancePath: instancePath + '/token',
                  schemaPath: '#/properties/token/type',
                  keyword: 'type',
                  params: { type: 'string' },
                  message: 'must be string',
                },
              ];
              return false;
            }
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.expires_at !== void 0) {
            const _errs3 = errors;
            if (typeof data.expires_at !== 'string') {
              validate33.errors = [
                {
                  instancePath: instancePath + '/expires_at',
                  schemaPath: '#/properties/expires_at/type',
                  keyword: 'type',
                  params: { type: 'string' },
                  message: 'must be string',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate33.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate33.errors = vErrors;
  return errors === 0;
}
var validatePassMade = validate34;
var schema19 = {
  type: 'object',
  required: ['message', 'exchanges'],
  properties: {
    message: { type: 'string' },
    exchanges: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'url_index',
          'url',
          'request_type',
          'redirected',
          'resent',
          'request_head',
          'request_body',
          'status',
          'response_head',
          'data_received',
          'error',
          'success',
          'unexpected',
          'times',
          'variables',
        ],
        properties: {
          url_index: { type: 'integer' },
          url: { type: 'string' },
          request_type: { type: 'string' },
          redirected: { type: 'boolean' },
          resent: { type: 'boolean' },
          request_head: { type: 'string' },
          request_body: { type: 'string' },
          status: { type: ['integer', 'null'] },
          response_head: { type: 'string' },
          data_received: { type: 'integer' },
          error: { type: ['string', 'null'] },
          success: { type: 'boolean' },
          unexpected: {
            type: ['object', 'null'],
            required: ['error', 'came'],
            properties: { error: { type: 'string' }, came: { type: ['string', 'null'] } },
          },
          times: {
            type: 'object',
            required: ['connect', 'tls', 'wait', 'total'],
            properties: {
              connect: { type: ['number', 'null'] },
              tls: { type: ['number', 'null'] },
              wait: { type: ['number', 'null'] },
              total: { type: 'number' },
            },
          },
          variables: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
};
function validate34(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.message === void 0 && (missing0 = 'message')) ||
        (data.exchanges === void 0 && (missing0 = 'exchanges'))
      ) {
        validate34.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.message !== void 0) {
          const _errs1 = errors;
          if (typeof data.message !== 'string') {
            validate34.errors = [
              {
                instancePath: instancePath + '/message',
                schemaPath: '#/properties/message/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.exchanges !== void 0) {
            let data1 = data.exchanges;
            const _errs3 = errors;
            if (errors === _errs3) {
              if (Array.isArray(data1)) {
                var valid1 = true;
                const len0 = data1.length;
                for (let i0 = 0; i0 < len0; i0++) {
                  let data2 = data1[i0];
                  const _errs5 = errors;
                  if (errors === _errs5) {
                    if (data2 && typeof data2 == 'object' && !Array.isArray(data2)) {
                      let missing1;
                      if (
                        (data2.url_index === void 0 && (missing1 = 'url_index')) ||
                        (data2.url === void 0 && (missing1 = 'url')) ||
                        (data2.request_type === void 0 && (missing1 = 'request_type')) ||
                        (data2.redirected === void 0 && (missing1 = 'redirected')) ||
                        (data2.resent === void 0 && (missing1 = 'resent')) ||
                        (data2.request_head === void 0 && (missing1 = 'request_head')) ||
                        (data2.request_body === void 0 && (missing1 = 'request_body')) ||
                        (data2.status === void 0 && (missing1 = 'status')) ||
                        (data2.response_head === void 0 && (missing1 = 'response_head')) ||
                        (data2.data_received === void 0 && (missing1 = 'data_received')) ||
                        (data2.error === void 0 && (missing1 = 'error')) ||
                        (data2.success === void 0 && (missing1 = 'success')) ||
                        (data2.unexpected === void 0 && (missing1 = 'unexpected')) ||
                        (data2.times === void 0 && (missing1 = 'times')) ||
                        (data2.variables === void 0 && (missing1 = 'variables'))
                      ) {
                        validate34.errors = [
                          {
                            instancePath: instancePath + '/exchanges/' + i0,
                            schemaPath: '#/properties/exchanges/items/required',
                            keyword: 'required',
                            params: { missingProperty: missing1 },
                            message: "must have required property '" + missing1 + "'",
                          },
                        ];
                        return false;
                      } else {
                        if (data2.url_index !== void 0) {
                          let data3 = data2.url_index;
                          const _errs7 = errors;
                          if (!(
                            typeof data3 == 'number' &&
                            !(data3 % 1) &&
                            !isNaN(data3) &&
                            isFinite(data3)
                          )) {
                            validate34.errors = [
                              {
                                instancePath: instancePath + '/exchanges/' + i0 + '/url_index',
                                schemaPath: '#/properties/exchanges/items/properties/url_index/type',
                                keyword: 'type',
                                params: { type: 'integer' },
                                message: 'must be integer',
                              },
                            ];
                            return false;
                          }
                          var valid2 = _errs7 === errors;
                        } else {
                          var valid2 = true;
                        }
                        if (valid2) {
                          if (data2.url !== void 0) {
                            const _errs9 = errors;
                            if (typeof data2.url !== 'string') {
                              validate34.errors = [
                                {
                                  instancePath: instancePath + '/exchanges/' + i0 + '/url',
                                  schemaPath: '#/properties/exchanges/items/properties/url/type',
                                  keyword: 'type',
                                  params: { type: 'string' },
                                  message: 'must be string',
                                },
                              ];
                              return false;
                            }
                            var valid2 = _errs9 === errors;
                          } else {
                            var valid2 = true;
                          }
                          if (valid2) {
                            if (data2.request_type !== void 0) {
                              const _errs11 = errors;
                              if (typeof data2.request_type !== 'string') {
                                validate34.errors = [
                                  {
                                    instancePath: instancePath + '/exchanges/' + i0 + '/request_type',
                                    schemaPath: '#/properties/exchanges/items/properties/request_type/type',
                                    keyword: 'type',
                                    params: { type: 'string' },
                                    message: 'must be string',
                                  },
                                ];
                                return false;
                              }
                              var valid2 = _errs11 === errors;
                            } else {
                              var valid2 = true;
                            }
                            if (valid2) {
                              if (data2.redirected !== void 0) {
                                const _errs13 = errors;
                                if (typeof data2.redirected !== 'boolean') {
                                  validate34.errors = [
                                    {
                                      instancePath: instancePath + '/exchanges/' + i0 + '/redirected',
                                      schemaPath: '#/properties/exchanges/items/properties/redirected/type',
                                      keyword: 'type',
                                      params: { type: 'boolean' },
                                      message: 'must be boolean',
                                    },
                                  ];
                                  return false;
                                }
                                var valid2 = _errs13 === errors;
                              } else {
                                var valid2 = true;
                              }
                              if (valid2) {
                                if (data2.resent !== void 0) {
                                  const _errs15 = errors;
                                  if (typeof data2.resent !== 'boolean') {
                                    validate34.errors = [
                                      {
                                        instancePath: instancePath + '/exchanges/' + i0 + '/resent',
                                        schemaPath: '#/properties/exchanges/items/properties/resent/type',
                                        keyword: 'type',
                                        params: { type: 'boolean' },
                                        message: 'must be boolean',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid2 = _errs15 === errors;
                                } else {
                                  var valid2 = true;
                                }
                                if (valid2) {
                                  if (data2.request_head !== void 0) {
                                    const _errs17 = errors;
                                    if (typeof data2.request_head !== 'string') {
                                      validate34.errors = [
                                        {
                                          instancePath: instancePath + '/exchanges/' + i0 + '/request_head',
                                          schemaPath:
                                            '#/properties/exchanges/items/properties/request_head/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid2 = _errs17 === errors;
                                  } else {
                                    var valid2 = true;
                                  }
                                  if (valid2) {
                                    if (data2.request_body !== void 0) {
                                      const _errs19 = errors;
                                      if (typeof data2.request_body !== 'string') {
                                        validate34.errors = [
                                          {
                                            instancePath: instancePath + '/exchanges/' + i0 + '/request_body',
                                            schemaPath:
                                              '#/properties/exchanges/items/properties/request_body/type',
                                            keyword: 'type',
                                            params: { type: 'string' },
                                            message: 'must be string',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid2 = _errs19 === errors;
                                    } else {
                                      var valid2 = true;
                                    }
                                    if (valid2) {
                                      if (data2.status !== void 0) {
                                        let data10 = data2.status;
                                        const _errs21 = errors;
                                        if (
                                          !(
                                            typeof data10 == 'number' &&
                                            !(data10 % 1) &&
                                            !isNaN(data10) &&
                                            isFinite(data10)
                                          ) &&
                                          data10 !== null
                                        ) {
                                          validate34.errors = [
                                            {
                                              instancePath: instancePath + '/exchanges/' + i0 + '/status',
                                              schemaPath:
                                                '#/properties/exchanges/items/properties/status/type',
                                              keyword: 'type',
                                              params: {
                                                type: schema19.properties.exchanges.items.properties.status
                                                  .type,
                                              },
                                              message: 'must be integer,null',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid2 = _errs21 === errors;
                                      } else {
                                        var valid2 = true;
                                      }
                                      if (valid2) {
                                        if (data2.response_head !== void 0) {
                                          const _errs23 = errors;
                                          if (typeof data2.response_head !== 'string') {
                                            validate34.errors = [
                                              {
                                                instancePath:
                                                  instancePath + '/exchanges/' + i0 + '/response_head',
                                                schemaPath:
                                                  '#/properties/exchanges/items/properties/response_head/type',
                                                keyword: 'type',
                                                params: { type: 'string' },
                                                message: 'must be string',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid2 = _errs23 === errors;
                                        } else {
                                          var valid2 = true;
                                        }
                                        if (valid2) {
                                          if (data2.data_received !== void 0) {
                                            let data12 = data2.data_received;
                                            const _errs25 = errors;
                                            if (!(
                                              typeof data12 == 'number' &&
                                              !(data12 % 1) &&
                                              !isNaN(data12) &&
                                              isFinite(data12)
                                            )) {
                                              validate34.errors = [
                                                {
                                                  instancePath:
                                                    instancePath + '/exchanges/' + i0 + '/data_received',
                                                  schemaPath:
                                                    '#/properties/exchanges/items/properties/data_received/type',
                                                  keyword: 'type',
                                                  params: { type: 'integer' },
                                                  message: 'must be integer',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid2 = _errs25 === errors;
                                          } else {
                                            var valid2 = true;
                                          }
                                          if (valid2) {
                                            if (data2.error !== void 0) {
                                              let data13 = data2.error;
                                              const _errs27 = errors;
                                              if (typeof data13 !== 'string' && data13 !== null) {
                                                validate34.errors = [
                                                  {
                                                    instancePath:
                                                      instancePath + '/exchanges/' + i0 + '/error',
                                                    schemaPath:
                                                      '#/properties/exchanges/items/properties/error/type',
                                                    keyword: 'type',
                                                    params: {
                                                      type: schema19.properties.exchanges.items.properties
                                                        .error.type,
                                                    },
                                                    message: 'must be string,null',
                                                  },
                                                ];
                                                return false;
                                              }
                                              var valid2 = _errs27 === errors;
                                            } else {
                                              var valid2 = true;
                                            }
                                            if (valid2) {
                                              if (data2.success !== void 0) {
                                                const _errs29 = errors;
                                                if (typeof data2.success !== 'boolean') {
                                                  validate34.errors = [
                                                    {
                                                      instancePath:
                                                        instancePath + '/exchanges/' + i0 + '/success',
                                                      schemaPath:
                                                        '#/properties/exchanges/items/properties/success/type',
                                                      keyword: 'type',
                                                      params: { type: 'boolean' },
                                                      message: 'must be boolean',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                                var valid2 = _errs29 === errors;
                                              } else {
                                                var valid2 = true;
                                              }
                                              if (valid2) {
                                                if (data2.unexpected !== void 0) {
                                                  let data15 = data2.unexpected;
                                                  const _errs31 = errors;
                                                  if (
                                                    !(
                                                      data15 &&
                                                      typeof data15 == 'object' &&
                                                      !Array.isArray(data15)
                                                    ) &&
                                                    data15 !== null
                                                  ) {
                                                    validate34.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/exchanges/' + i0 + '/unexpected',
                                                        schemaPath:
                                                          '#/properties/exchanges/items/properties/unexpected/type',
                                                        keyword: 'type',
                                                        params: {
                                                          type: schema19.properties.exchanges.items.properties
                                                            .unexpected.type,
                                                        },
                                                        message: 'must be object,null',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                  if (errors === _errs31) {
                                                    if (
                                                      data15 &&
                                                      typeof data15 == 'object' &&
                                                      !Array.isArray(data15)
                                                    ) {
                                                      let missing2;
                                                      if (
                                                        (data15.error === void 0 && (missing2 = 'error')) ||
                                                        (data15.came === void 0 && (missing2 = 'came'))
                                                      ) {
                                                        validate34.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath +
                                                              '/exchanges/' +
                                                              i0 +
                                                              '/unexpected',
                                                            schemaPath:
                                                              '#/properties/exchanges/items/properties/unexpected/required',
                                                            keyword: 'required',
                                                            params: { missingProperty: missing2 },
                                                            message:
                                                              "must have required property '" +
                                                              missing2 +
                                                              "'",
                                                          },
                                                        ];
                                                        return false;
                                                      } else {
                                                        if (data15.error !== void 0) {
                                                          const _errs33 = errors;
                                                          if (typeof data15.error !== 'string') {
                                                            validate34.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath +
                                                                  '/exchanges/' +
                                                                  i0 +
                                                                  '/unexpected/error',
                                                                schemaPath:
                                                                  '#/properties/exchanges/items/properties/unexpected/properties/error/type',
                                                                keyword: 'type',
                                                                params: { type: 'string' },
                                                                message: 'must be string',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                          var valid3 = _errs33 === errors;
                                                        } else {
                                                          var valid3 = true;
                                                        }
                                                        if (valid3) {
                                                          if (data15.came !== void 0) {
                                                            let data17 = data15.came;
                                                            const _errs35 = errors;
                                                            if (
                                                              typeof data17 !== 'string' &&
                                                              data17 !== null
                                                            ) {
                                                              validate34.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath +
                                                                    '/exchanges/' +
                                                                    i0 +
                                                                    '/unexpected/came',
                                                                  schemaPath:
                                                                    '#/properties/exchanges/items/properties/unexpected/properties/came/type',
                                                                  keyword: 'type',
                                                                  params: {
                                                                    type: schema19.properties.exchanges.items
                                                                      .properties.unexpected.properties.came
                                                                      .type,
                                                                  },
                                                                  message: 'must be string,null',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid3 = _errs35 === errors;
                                                          } else {
                                                            var valid3 = true;
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                  var valid2 = _errs31 === errors;
                                                } else {
                                                  var valid2 = true;
                                                }
                                                if (valid2) {
                                                  if (data2.times !== void 0) {
                                                    let data18 = data2.times;
                                                    const _errs37 = errors;
                                                    if (errors === _errs37) {
                                                      if (
                                                        data18 &&
                                                        typeof data18 == 'object' &&
                                                        !Array.isArray(data18)
                                                      ) {
                                                        let missing3;
                                                        if (
                                                          (data18.connect === void 0 &&
                                                            (missing3 = 'connect')) ||
                                                          (data18.tls === void 0 && (missing3 = 'tls')) ||
                                                          (data18.wait === void 0 && (missing3 = 'wait')) ||
                                                          (data18.total === void 0 && (missing3 = 'total'))
                                                        ) {
                                                          validate34.errors = [
                                                            {
                                                              instancePath:
                                                                instancePath + '/exchanges/' + i0 + '/times',
                                                              schemaPath:
                                                                '#/properties/exchanges/items/properties/times/required',
                                                              keyword: 'required',
                                                              params: { missingProperty: missing3 },
                                                              message:
                                                                "must have required property '" +
                                                                missing3 +
                                                                "'",
                                                            },
                                                          ];
                                                          return false;
                                                        } else {
                                                          if (data18.connect !== void 0) {
                                                            let data19 = data18.connect;
                                                            const _errs39 = errors;
                                                            if (
                                                              !(
                                                                typeof data19 == 'number' && isFinite(data19)
                                                              ) &&
                                                              data19 !== null
                                                            ) {
                                                              validate34.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath +
                                                                    '/exchanges/' +
                                                                    i0 +
                                                                    '/times/connect',
                                                                  schemaPath:
                                                                    '#/properties/exchanges/items/properties/times/properties/connect/type',
                                                                  keyword: 'type',
                                                                  params: {
                                                                    type: schema19.properties.exchanges.items
                                                                      .properties.times.properties.connect
                                                                      .type,
                                                                  },
                                                                  message: 'must be number,null',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid4 = _errs39 === errors;
                                                          } else {
                                                            var valid4 = true;
                                                          }
                                                          if (valid4) {
                                                            if (data18.tls !== void 0) {
                                                              let data20 = data18.tls;
                                                              const _errs41 = errors;
                                                              if (
                                                                !(
                                                                  typeof data20 == 'number' &&
                                                                  isFinite(data20)
                                                                ) &&
                                                                data20 !== null
                                                              ) {
                                                                validate34.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath +
                                                                      '/exchanges/' +
                                                                      i0 +
                                                                      '/times/tls',
                                                                    schemaPath:
                                                                      '#/properties/exchanges/items/properties/times/properties/tls/type',
                                                                    keyword: 'type',
                                                                    params: {
                                                                      type: schema19.properties.exchanges
                                                                        .items.properties.times.properties.tls
                                                                        .type,
                                                                    },
                                                                    message: 'must be number,null',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                              var valid4 = _errs41 === errors;
                                                            } else {
                                                              var valid4 = true;
                                                            }
                                                            if (valid4) {
                                                              if (data18.wait !== void 0) {
                                                                let data21 = data18.wait;
                                                                const _errs43 = errors;
                                                                if (
                                                                  !(
                                                                    typeof data21 == 'number' &&
                                                                    isFinite(data21)
                                                                  ) &&
                                                                  data21 !== null
                                                                ) {
                                                                  validate34.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath +
                                                                        '/exchanges/' +
                                                                        i0 +
                                                                        '/times/wait',
                                                                      schemaPath:
                                                                        '#/properties/exchanges/items/properties/times/properties/wait/type',
                                                                      keyword: 'type',
                                                                      params: {
                                                                        type: schema19.properties.exchanges
                                                                          .items.properties.times.properties
                                                                          .wait.type,
                                                                      },
                                                                      message: 'must be number,null',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                                var valid4 = _errs43 === errors;
                                                              } else {
                                                                var valid4 = true;
                                                              }
                                                              if (valid4) {
                                                                if (data18.total !== void 0) {
                                                                  let data22 = data18.total;
                                                                  const _errs45 = errors;
                                                                  if (!(
                                                                    typeof data22 == 'number' &&
                                                                    isFinite(data22)
                                                                  )) {
                                                                    validate34.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/exchanges/' +
                                                                          i0 +
                                                                          '/times/total',
                                                                        schemaPath:
                                                                          '#/properties/exchanges/items/properties/times/properties/total/type',
                                                                        keyword: 'type',
                                                                        params: { type: 'number' },
                                                                        message: 'must be number',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                  var valid4 = _errs45 === errors;
                                                                } else {
                                                                  var valid4 = true;
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      } else {
                                                        validate34.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath + '/exchanges/' + i0 + '/times',
                                                            schemaPath:
                                                              '#/properties/exchanges/items/properties/times/type',
                                                            keyword: 'type',
                                                            params: { type: 'object' },
                                                            message: 'must be object',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                    }
                                                    var valid2 = _errs37 === errors;
                                                  } else {
                                                    var valid2 = true;
                                                  }
                                                  if (valid2) {
                                                    if (data2.variables !== void 0) {
                                                      let data23 = data2.variables;
                                                      const _errs47 = errors;
                                                      if (errors === _errs47) {
                                                        if (
                                                          data23 &&
                                                          typeof data23 == 'object' &&
                                                          !Array.isArray(data23)
                                                        ) {
                                                          for (const key0 in data23) {
                                                            const _errs50 = errors;
                                                            if (typeof data23[key0] !== 'string') {
                                                              validate34.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath +
                                                                    '/exchanges/' +
                                                                    i0 +
                                                                    '/variables/' +
                                                                    key0
                                                                      .replace(/~/g, '~0')
                                                                      .replace(/\//g, '~1'),
                                                                  schemaPath:
                                                                    '#/properties/exchanges/items/properties/variables/additionalProperties/type',
                                                                  keyword: 'type',
                                                                  params: { type: 'string' },
                                                                  message: 'must be string',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid5 = _errs50 === errors;
                                                            if (!valid5) {
                                                              break;
                                                            }
                                                          }
                                                        } else {
                                                          validate34.errors = [
                                                            {
                                                              instancePath:
                                                                instancePath +
                                                                '/exchanges/' +
                                                                i0 +
                                                                '/variables',
                                                              schemaPath:
                                                                '#/properties/exchanges/items/properties/variables/type',
                                                              keyword: 'type',
                                                              params: { type: 'object' },
                                                              message: 'must be object',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                      }
                                                      var valid2 = _errs47 === errors;
                                                    } else {
                                                      var valid2 = true;
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    } else {
                      validate34.errors = [
                        {
                          instancePath: instancePath + '/exchanges/' + i0,
                          schemaPath: '#/properties/exchanges/items/type',
                          keyword: 'type',
                          params: { type: 'object' },
                          message: 'must be object',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid1 = _errs5 === errors;
                  if (!valid1) {
                    break;
                  }
                }
              } else {
                validate34.errors = [
                  {
                    instancePath: instancePath + '/exchanges',
                    schemaPath: '#/properties/exchanges/type',
                    keyword: 'type',
                    params: { type: 'array' },
                    message: 'must be array',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
        }
      }
    } else {
      validate34.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate34.errors = vErrors;
  return errors === 0;
}
var validatePassRequest = validate35;
function validate35(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      if (data.secrets !== void 0) {
        let data0 = data.secrets;
        const _errs1 = errors;
        if (errors === _errs1) {
          if (Array.isArray(data0)) {
            if (data0.length > 1e4) {
              validate35.errors = [
                {
                  instancePath: instancePath + '/secrets',
                  schemaPath: '#/properties/secrets/maxItems',
                  keyword: 'maxItems',
                  params: { limit: 1e4 },
                  message: 'must NOT have more than 10000 items',
                },
              ];
              return false;
            } else {
              var valid1 = true;
              const len0 = data0.length;
              for (let i0 = 0; i0 < len0; i0++) {
                let data1 = data0[i0];
                const _errs3 = errors;
                if (errors === _errs3) {
                  if (typeof data1 === 'string') {
                    if (func2(data1) > 1048576) {
                      validate35.errors = [
                        {
                          instancePath: instancePath + '/secrets/' + i0,
                          schemaPath: '#/properties/secrets/items/maxLength',
                          keyword: 'maxLength',
                          params: { limit: 1048576 },
                          message: 'must NOT have more than 1048576 characters',
                        },
                      ];
                      return false;
                    }
                  } else {
                    validate35.errors = [
                      {
                        instancePath: instancePath + '/secrets/' + i0,
                        schemaPath: '#/properties/secrets/items/type',
                        keyword: 'type',
                        params: { type: 'string' },
                        message: 'must be string',
                      },
                    ];
                    return false;
                  }
                }
                var valid1 = _errs3 === errors;
                if (!valid1) {
                  break;
                }
              }
            }
          } else {
            validate35.errors = [
              {
                instancePath: instancePath + '/secrets',
                schemaPath: '#/properties/secrets/type',
                keyword: 'type',
                params: { type: 'array' },
                message: 'must be array',
              },
            ];
            return false;
          }
        }
      }
    } else {
      validate35.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate35.errors = vErrors;
  return errors === 0;
}
var validatePayloadFile = validate36;
function validate36(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.sha256 === void 0 && (missing0 = 'sha256')) ||
        (data.bytes === void 0 && (missing0 = 'bytes')) ||
        (data.rows === void 0 && (missing0 = 'rows'))
      ) {
        validate36.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.sha256 !== void 0) {
          const _errs1 = errors;
          if (typeof data.sha256 !== 'string') {
            validate36.errors = [
              {
                instancePath: instancePath + '/sha256',
                schemaPath: '#/properties/sha256/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.bytes !== void 0) {
            let data1 = data.bytes;
            const _errs3 = errors;
            if (!(typeof data1 == 'number' && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
              validate36.errors = [
                {
                  instancePath: instancePath + '/bytes',
                  schemaPath: '#/properties/bytes/type',
                  keyword: 'type',
                  params: { type: 'integer' },
                  message: 'must be integer',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.rows !== void 0) {
              let data2 = data.rows;
              const _errs5 = errors;
              if (!(typeof data2 == 'number' && !(data2 % 1) && !isNaN(data2) && isFinite(data2))) {
                validate36.errors = [
                  {
                    instancePath: instancePath + '/rows',
                    schemaPath: '#/properties/rows/type',
                    keyword: 'type',
                    params: { type: 'integer' },
                    message: 'must be integer',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate36.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate36.errors = vErrors;
  return errors === 0;
}
var validateRegisterRequest = validate37;
function validate37(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (data.app === void 0 && (missing0 = 'app')) {
        validate37.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === 'app')) {
            validate37.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.app !== void 0) {
            let data0 = data.app;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === 'string') {
                if (func2(data0) > 300) {
                  validate37.errors = [
                    {
                      instancePath: instancePath + '/app',
                      schemaPath: '#/properties/app/maxLength',
                      keyword: 'maxLength',
                      params: { limit: 300 },
                      message: 'must NOT have more than 300 characters',
                    },
                  ];
                  return false;
                } else {
                  if (func2(data0) < 1) {
                    validate37.errors = [
                      {
                        instancePath: instancePath + '/app',
                        schemaPath: '#/properties/app/minLength',
                        keyword: 'minLength',
                        params: { limit: 1 },
                        message: 'must NOT have fewer than 1 characters',
                      },
                    ];
                    return false;
                  }
                }
              } else {
                validate37.errors = [
                  {
                    instancePath: instancePath + '/app',
                    schemaPath: '#/properties/app/type',
                    keyword: 'type',
                    params: { type: 'string' },
                    message: 'must be string',
                  },
                ];
                return false;
              }
            }
          }
        }
      }
    } else {
      validate37.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate37.errors = vErrors;
  return errors === 0;
}
var validateResultList = validate38;
var schema23 = {
  type: 'array',
  items: {
    type: 'object',
    required: ['result_id'],
    properties: {
      result_id: { type: ['string', 'number'] },
      started_at: { type: ['string', 'null'] },
      status: { type: ['string', 'null'] },
      public_results_url: { type: ['string', 'null'] },
      success: { type: ['number', 'string', 'null'] },
      error: { type: ['number', 'string', 'null'] },
      timeout_error: { type: ['number', 'string', 'null'] },
      network_error: { type: ['number', 'string', 'null'] },
      data_sent: { type: ['number', 'string', 'null'] },
      data_received: { type: ['number', 'string', 'null'] },
      avg_response_time: { type: ['number', 'string', 'null'] },
      avg_error_rate: { type: ['number', 'string', 'null'] },
      requests: { type: ['number', 'string', 'null'] },
      requests_per_second: { type: ['number', 'string', 'null'] },
      status_codes: { type: ['object', 'null'] },
      latency: { type: ['object', 'null'] },
      service_time: { type: ['object', 'null'] },
      elapsed_ms: { type: ['number', 'null'] },
      timeout_ms: { type: ['number', 'null'] },
      outage: { type: ['object', 'null'] },
      peak_connections: { type: ['number', 'string', 'null'] },
      abort_reason: { type: ['string', 'null'] },
      generator: { type: ['object', 'null'] },
      warmup: { type: ['object', 'null'] },
      ledger: { type: ['object', 'null'] },
      urls: { type: ['array', 'null'] },
      timeline: { type: ['array', 'null'] },
      error_samples: { type: ['array', 'null'] },
    },
  },
};
function validate38(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (Array.isArray(data)) {
      var valid0 = true;
      const len0 = data.length;
      for (let i0 = 0; i0 < len0; i0++) {
        let data0 = data[i0];
        const _errs1 = errors;
        if (errors === _errs1) {
          if (data0 && typeof data0 == 'object' && !Array.isArray(data0)) {
            let missing0;
            if (data0.result_id === void 0 && (missing0 = 'result_id')) {
              validate38.errors = [
                {
                  instancePath: instancePath + '/' + i0,
                  schemaPath: '#/items/required',
                  keyword: 'required',
                  params: { missingProperty: missing0 },
                  message: "must have required property '" + missing0 + "'",
                },
              ];
              return false;
            } else {
              if (data0.result_id !== void 0) {
                let data1 = data0.result_id;
                const _errs3 = errors;
                if (typeof data1 !== 'string' && !(typeof data1 == 'number' && isFinite(data1))) {
                  validate38.errors = [
                    {
                      instancePath: instancePath + '/' + i0 + '/result_id',
                      schemaPath: '#/items/properties/result_id/type',
                      keyword: 'type',
                      params: { type: schema23.items.properties.result_id.type },
                      message: 'must be string,number',
                    },
                  ];
                  return false;
                }
                var valid1 = _errs3 === errors;
              } else {
                var valid1 = true;
              }
              if (valid1) {
                if (data0.started_at !== void 0) {
                  let data2 = data0.started_at;
                  const _errs5 = errors;
                  if (typeof data2 !== 'string' && data2 !== null) {
                    validate38.errors = [
                      {
                        instancePath: instancePath + '/' + i0 + '/started_at',
                        schemaPath: '#/items/properties/started_at/type',
                        keyword: 'type',
                        params: { type: schema23.items.properties.started_at.type },
                        message: 'must be string,null',
                      },
                    ];
                    return false;
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data0.status !== void 0) {
                    let data3 = data0.status;
                    const _errs7 = errors;
                    if (typeof data3 !== 'string' && data3 !== null) {
                      validate38.errors = [
                        {
                          instancePath: instancePath + '/' + i0 + '/status',
                          schemaPath: '#/items/properties/status/type',
                          keyword: 'type',
                          params: { type: schema23.items.properties.status.type },
                          message: 'must be string,null',
                        },
                      ];
                      return false;
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    if (data0.public_results_url !== void 0) {
                      let data4 = data0.public_results_url;
                      const _errs9 = errors;
                      if (typeof data4 !== 'string' && data4 !== null) {
                        validate38.errors = [
                          {
                            instancePath: instancePath + '/' + i0 + '/public_results_url',
                            schemaPath: '#/items/properties/public_results_url/type',
                            keyword: 'type',
                            params: { type: schema23.items.properties.public_results_url.type },
                            message: 'must be string,null',
                          },
                        ];
                        return false;
                      }
                      var valid1 = _errs9 === errors;
                    } else {
                      var valid1 = true;
                    }
                    if (valid1) {
                      if (data0.success !== void 0) {
                        let data5 = data0.success;
                        const _errs11 = errors;
                        if (
                          !(typeof data5 == 'number' && isFinite(data5)) &&
                          typeof data5 !== 'string' &&
                          data5 !== null
                        ) {
                          validate38.errors = [
                            {
                              instancePath: instancePath + '/' + i0 + '/success',
                              schemaPath: '#/items/properties/success/type',
                              keyword: 'type',
                              params: { type: schema23.items.properties.success.type },
                              message: 'must be number,string,null',
                            },
                          ];
                          return false;
                        }
                        var valid1 = _errs11 === errors;
                      } else {
                        var valid1 = true;
                      }
                      if (valid1) {
                        if (data0.error !== void 0) {
                          let data6 = data0.error;
                          const _errs13 = errors;
                          if (
                            !(typeof data6 == 'number' && isFinite(data6)) &&
                            typeof data6 !== 'string' &&
                            data6 !== null
                          ) {
                            validate38.errors = [
                              {
                                instancePath: instancePath + '/' + i0 + '/error',
                                schemaPath: '#/items/properties/error/type',
                                keyword: 'type',
                                params: { type: schema23.items.properties.error.type },
                                message: 'must be number,string,null',
                              },
                            ];
                            return false;
                          }
                          var valid1 = _errs13 === errors;
                        } else {
                          var valid1 = true;
                        }
                        if (valid1) {
                          if (data0.timeout_error !== void 0) {
                            let data7 = data0.timeout_error;
                            const _errs15 = errors;
                            if (
                              !(typeof data7 == 'number' && isFinite(data7)) &&
                              typeof data7 !== 'string' &&
                              data7 !== null
                            ) {
                              validate38.errors = [
                                {
                                  instancePath: instancePath + '/' + i0 + '/timeout_error',
                                  schemaPath: '#/items/properties/timeout_error/type',
                                  keyword: 'type',
                                  params: { type: schema23.items.properties.timeout_error.type },
                                  message: 'must be number,string,null',
                                },
                              ];
                              return false;
                            }
                            var valid1 = _errs15 === errors;
                          } else {
                            var valid1 = true;
                          }
                          if (valid1) {
                            if (data0.network_error !== void 0) {
                              let data8 = data0.network_error;
                              const _errs17 = errors;
                              if (
                                !(typeof data8 == 'number' && isFinite(data8)) &&
                                typeof data8 !== 'string' &&
                                data8 !== null
                              ) {
                                validate38.errors = [
                                  {
                                    instancePath: instancePath + '/' + i0 + '/network_error',
                                    schemaPath: '#/items/properties/network_error/type',
                                    keyword: 'type',
                                    params: { type: schema23.items.properties.network_error.type },
                                    message: 'must be number,string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid1 = _errs17 === errors;
                            } else {
                              var valid1 = true;
                            }
                            if (valid1) {
                              if (data0.data_sent !== void 0) {
                                let data9 = data0.data_sent;
                                const _errs19 = errors;
                                if (
                                  !(typeof data9 == 'number' && isFinite(data9)) &&
                                  typeof data9 !== 'string' &&
                                  data9 !== null
                                ) {
                                  validate38.errors = [
                                    {
                                      instancePath: instancePath + '/' + i0 + '/data_sent',
                                      schemaPath: '#/items/properties/data_sent/type',
                                      keyword: 'type',
                                      params: { type: schema23.items.properties.data_sent.type },
                                      message: 'must be number,string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid1 = _errs19 === errors;
                              } else {
                                var valid1 = true;
                              }
                              if (valid1) {
                                if (data0.data_received !== void 0) {
                                  let data10 = data0.data_received;
                                  const _errs21 = errors;
                                  if (
                                    !(typeof data10 == 'number' && isFinite(data10)) &&
                                    typeof data10 !== 'string' &&
                                    data10 !== null
                                  ) {
                                    validate38.errors = [
                                      {
                                        instancePath: instancePath + '/' + i0 + '/data_received',
                                        schemaPath: '#/items/properties/data_received/type',
                                        keyword: 'type',
                                        params: { type: schema23.items.properties.data_received.type },
                                        message: 'must be number,string,null',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid1 = _errs21 === errors;
                                } else {
                                  var valid1 = true;
                                }
                                if (valid1) {
                                  if (data0.avg_response_time !== void 0) {
                                    let data11 = data0.avg_response_time;
                                    const _errs23 = errors;
                                    if (
                                      !(typeof data11 == 'number' && isFinite(data11)) &&
                                      typeof data11 !== 'string' &&
                                      data11 !== null
                                    ) {
                                      validate38.errors = [
                                        {
                                          instancePath: instancePath + '/' + i0 + '/avg_response_time',
                                          schemaPath: '#/items/properties/avg_response_time/type',
                                          keyword: 'type',
                                          params: { type: schema23.items.properties.avg_response_time.type },
                                          message: 'must be number,string,null',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid1 = _errs23 === errors;
                                  } else {
                                    var valid1 = true;
                                  }
                                  if (valid1) {
                                    if (data0.avg_error_rate !== void 0) {
                                      let data12 = data0.avg_error_rate;
                                      const _errs25 = errors;
                                      if (
                                        !(typeof data12 == 'number' && isFinite(data12)) &&
                                        typeof data12 !== 'string' &&
                                        data12 !== null
                                      ) {
                                        validate38.errors = [
                                          {
                                            instancePath: instancePath + '/' + i0 + '/avg_error_rate',
                                            schemaPath: '#/items/properties/avg_error_rate/type',
                                            keyword: 'type',
                                            params: { type: schema23.items.properties.avg_error_rate.type },
                                            message: 'must be number,string,null',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid1 = _errs25 === errors;
                                    } else {
                                      var valid1 = true;
                                    }
                                    if (valid1) {
                                      if (data0.requests !== void 0) {
                                        let data13 = data0.requests;
                                        const _errs27 = errors;
                                        if (
                                          !(typeof data13 == 'number' && isFinite(data13)) &&
                                          typeof data13 !== 'string' &&
                                          data13 !== null
                                        ) {
                                          validate38.errors = [
                                            {
                                              instancePath: instancePath + '/' + i0 + '/requests',
                                              schemaPath: '#/items/properties/requests/type',
                                              keyword: 'type',
                                              params: { type: schema23.items.properties.requests.type },
                                              message: 'must be number,string,null',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid1 = _errs27 === errors;
                                      } else {
                                        var valid1 = true;
                                      }
                                      if (valid1) {
                                        if (data0.requests_per_second !== void 0) {
                                          let data14 = data0.requests_per_second;
                                          const _errs29 = errors;
                                          if (
                                            !(typeof data14 == 'number' && isFinite(data14)) &&
                                            typeof data14 !== 'string' &&
                                            data14 !== null
                                          ) {
                                            validate38.errors = [
                                              {
                                                instancePath:
                                                  instancePath + '/' + i0 + '/requests_per_second',
                                                schemaPath: '#/items/properties/requests_per_second/type',
                                                keyword: 'type',
                                                params: {
                                                  type: schema23.items.properties.requests_per_second.type,
                                                },
                                                message: 'must be number,string,null',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid1 = _errs29 === errors;
                                        } else {
                                          var valid1 = true;
                                        }
                                        if (valid1) {
                                          if (data0.status_codes !== void 0) {
                                            let data15 = data0.status_codes;
                                            const _errs31 = errors;
                                            if (
                                              !(
                                                data15 &&
                                                typeof data15 == 'object' &&
                                                !Array.isArray(data15)
                                              ) &&
                                              data15 !== null
                                            ) {
                                              validate38.errors = [
                                                {
                                                  instancePath: instancePath + '/' + i0 + '/status_codes',
                                                  schemaPath: '#/items/properties/status_codes/type',
                                                  keyword: 'type',
                                                  params: {
                                                    type: schema23.items.properties.status_codes.type,
                                                  },
                                                  message: 'must be object,null',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid1 = _errs31 === errors;
                                          } else {
                                            var valid1 = true;
                                          }
                                          if (valid1) {
                                            if (data0.latency !== void 0) {
                                              let data16 = data0.latency;
                                              const _errs33 = errors;
                                              if (
                                                !(
                                                  data16 &&
                                                  typeof data16 == 'object' &&
                                                  !Array.isArray(data16)
                                                ) &&
                                                data16 !== null
                                              ) {
                                                validate38.errors = [
                                                  {
                                                    instancePath: instancePath + '/' + i0 + '/latency',
                                                    schemaPath: '#/items/properties/latency/type',
                                                    keyword: 'type',
                                                    params: { type: schema23.items.properties.latency.type },
                                                    message: 'must be object,null',
                                                  },
                                                ];
                                                return false;
                                              }
                                              var valid1 = _errs33 === errors;
                                            } else {
                                              var valid1 = true;
                                            }
                                            if (valid1) {
                                              if (data0.service_time !== void 0) {
                                                let data17 = data0.service_time;
                                                const _errs35 = errors;
                                                if (
                                                  !(
                                                    data17 &&
                                                    typeof data17 == 'object' &&
                                                    !Array.isArray(data17)
                                                  ) &&
                                                  data17 !== null
                                                ) {
                                                  validate38.errors = [
                                                    {
                                                      instancePath: instancePath + '/' + i0 + '/service_time',
                                                      schemaPath: '#/items/properties/service_time/type',
                                                      keyword: 'type',
                                                      params: {
                                                        type: schema23.items.properties.service_time.type,
                                                      },
                                                      message: 'must be object,null',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                                var valid1 = _errs35 === errors;
                                              } else {
                                                var valid1 = true;
                                              }
                                              if (valid1) {
                                                if (data0.elapsed_ms !== void 0) {
                                                  let data18 = data0.elapsed_ms;
                                                  const _errs37 = errors;
                                                  if (
                                                    !(typeof data18 == 'number' && isFinite(data18)) &&
                                                    data18 !== null
                                                  ) {
                                                    validate38.errors = [
                                                      {
                                                        instancePath: instancePath + '/' + i0 + '/elapsed_ms',
                                                        schemaPath: '#/items/properties/elapsed_ms/type',
                                                        keyword: 'type',
                                                        params: {
                                                          type: schema23.items.properties.elapsed_ms.type,
                                                        },
                                                        message: 'must be number,null',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                  var valid1 = _errs37 === errors;
                                                } else {
                                                  var valid1 = true;
                                                }
                                                if (valid1) {
                                                  if (data0.timeout_ms !== void 0) {
                                                    let data19 = data0.timeout_ms;
                                                    const _errs39 = errors;
                                                    if (
                                                      !(typeof data19 == 'number' && isFinite(data19)) &&
                                                      data19 !== null
                                                    ) {
                                                      validate38.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath + '/' + i0 + '/timeout_ms',
                                                          schemaPath: '#/items/properties/timeout_ms/type',
                                                          keyword: 'type',
                                                          params: {
                                                            type: schema23.items.properties.timeout_ms.type,
                                                          },
                                                          message: 'must be number,null',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                    var valid1 = _errs39 === errors;
                                                  } else {
                                                    var valid1 = true;
                                                  }
                                                  if (valid1) {
                                                    if (data0.outage !== void 0) {
                                                      let data20 = data0.outage;
                                                      const _errs41 = errors;
                                                      if (
                                                        !(
                                                          data20 &&
                                                          typeof data20 == 'object' &&
                                                          !Array.isArray(data20)
                                                        ) &&
                                                        data20 !== null
                                                      ) {
                                                        validate38.errors = [
                                                          {
                                                            instancePath: instancePath + '/' + i0 + '/outage',
                                                            schemaPath: '#/items/properties/outage/type',
                                                            keyword: 'type',
                                                            params: {
                                                              type: schema23.items.properties.outage.type,
                                                            },
                                                            message: 'must be object,null',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                      var valid1 = _errs41 === errors;
                                                    } else {
                                                      var valid1 = true;
                                                    }
                                                    if (valid1) {
                                                      if (data0.peak_connections !== void 0) {
                                                        let data21 = data0.peak_connections;
                                                        const _errs43 = errors;
                                                        if (
                                                          !(typeof data21 == 'number' && isFinite(data21)) &&
                                                          typeof data21 !== 'string' &&
                                                          data21 !== null
                                                        ) {
                                                          validate38.errors = [
                                                            {
                                                              instancePath:
                                                                instancePath + '/' + i0 + '/peak_connections',
                                                              schemaPath:
                                                                '#/items/properties/peak_connections/type',
                                                              keyword: 'type',
                                                              params: {
                                                                type: schema23.items.properties
                                                                  .peak_connections.type,
                                                              },
                                                              message: 'must be number,string,null',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                        var valid1 = _errs43 === errors;
                                                      } else {
                                                        var valid1 = true;
                                                      }
                                                      if (valid1) {
                                                        if (data0.abort_reason !== void 0) {
                                                          let data22 = data0.abort_reason;
                                                          const _errs45 = errors;
                                                          if (typeof data22 !== 'string' && data22 !== null) {
                                                            validate38.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath + '/' + i0 + '/abort_reason',
                                                                schemaPath:
                                                                  '#/items/properties/abort_reason/type',
                                                                keyword: 'type',
                                                                params: {
                                                                  type: schema23.items.properties.abort_reason
                                                                    .type,
                                                                },
                                                                message: 'must be string,null',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                          var valid1 = _errs45 === errors;
                                                        } else {
                                                          var valid1 = true;
                                                        }
                                                        if (valid1) {
                                                          if (data0.generator !== void 0) {
                                                            let data23 = data0.generator;
                                                            const _errs47 = errors;
                                                            if (
                                                              !(
                                                                data23 &&
                                                                typeof data23 == 'object' &&
                                                                !Array.isArray(data23)
                                                              ) &&
                                                              data23 !== null
                                                            ) {
                                                              validate38.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath + '/' + i0 + '/generator',
                                                                  schemaPath:
                                                                    '#/items/properties/generator/type',
                                                                  keyword: 'type',
                                                                  params: {
                                                                    type: schema23.items.properties.generator
                                                                      .type,
                                                                  },
                                                                  message: 'must be object,null',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid1 = _errs47 === errors;
                                                          } else {
                                                            var valid1 = true;
                                                          }
                                                          if (valid1) {
                                                            if (data0.warmup !== void 0) {
                                                              let data24 = data0.warmup;
                                                              const _errs49 = errors;
                                                              if (
                                                                !(
                                                                  data24 &&
                                                                  typeof data24 == 'object' &&
                                                                  !Array.isArray(data24)
                                                                ) &&
                                                                data24 !== null
                                                              ) {
                                                                validate38.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath + '/' + i0 + '/warmup',
                                                                    schemaPath:
                                                                      '#/items/properties/warmup/type',
                                                                    keyword: 'type',
                                                                    params: {
                                                                      type: schema23.items.properties.warmup
                                                                        .type,
                                                                    },
                                                                    message: 'must be object,null',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                              var valid1 = _errs49 === errors;
                                                            } else {
                                                              var valid1 = true;
                                                            }
                                                            if (valid1) {
                                                              if (data0.ledger !== void 0) {
                                                                let data25 = data0.ledger;
                                                                const _errs51 = errors;
                                                                if (
                                                                  !(
                                                                    data25 &&
                                                                    typeof data25 == 'object' &&
                                                                    !Array.isArray(data25)
                                                                  ) &&
                                                                  data25 !== null
                                                                ) {
                                                                  validate38.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath + '/' + i0 + '/ledger',
                                                                      schemaPath:
                                                                        '#/items/properties/ledger/type',
                                                                      keyword: 'type',
                                                                      params: {
                                                                        type: schema23.items.properties.ledger
                                                                          .type,
                                                                      },
                                                                      message: 'must be object,null',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                                var valid1 = _errs51 === errors;
                                                              } else {
                                                                var valid1 = true;
                                                              }
                                                              if (valid1) {
                                                                if (data0.urls !== void 0) {
                                                                  let data26 = data0.urls;
                                                                  const _errs53 = errors;
                                                                  if (
                                                                    !Array.isArray(data26) &&
                                                                    data26 !== null
                                                                  ) {
                                                                    validate38.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath + '/' + i0 + '/urls',
                                                                        schemaPath:
                                                                          '#/items/properties/urls/type',
                                                                        keyword: 'type',
                                                                        params: {
                                                                          type: schema23.items.properties.urls
                                                                            .type,
                                                                        },
                                                                        message: 'must be array,null',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                  var valid1 = _errs53 === errors;
                                                                } else {
                                                                  var valid1 = true;
                                                                }
                                                                if (valid1) {
                                                                  if (data0.timeline !== void 0) {
                                                                    let data27 = data0.timeline;
                                                                    const _errs55 = errors;
                                                                    if (
                                                                      !Array.isArray(data27) &&
                                                                      data27 !== null
                                                                    ) {
                                                                      validate38.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/' +
                                                                            i0 +
                                                                            '/timeline',
                                                                          schemaPath:
                                                                            '#/items/properties/timeline/type',
                                                                          keyword: 'type',
                                                                          params: {
                                                                            type: schema23.items.properties
                                                                              .timeline.type,
                                                                          },
                                                                          message: 'must be array,null',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                    var valid1 = _errs55 === errors;
                                                                  } else {
                                                                    var valid1 = true;
                                                                  }
                                                                  if (valid1) {
                                                                    if (data0.error_samples !== void 0) {
                                                                      let data28 = data0.error_samples;
                                                                      const _errs57 = errors;
                                                                      if (
                                                                        !Array.isArray(data28) &&
                                                                        data28 !== null
                                                                      ) {
                                                                        validate38.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/' +
                                                                              i0 +
                                                                              '/error_samples',
                                                                            schemaPath:
                                                                              '#/items/properties/error_samples/type',
                                                                            keyword: 'type',
                                                                            params: {
                                                                              type: schema23.items.properties
                                                                                .error_samples.type,
                                                                            },
                                                                            message: 'must be array,null',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                      var valid1 = _errs57 === errors;
                                                                    } else {
                                                                      var valid1 = true;
                                                                    }
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          } else {
            validate38.errors = [
              {
                instancePath: instancePath + '/' + i0,
                schemaPath: '#/items/type',
                keyword: 'type',
                params: { type: 'object' },
                message: 'must be object',
              },
            ];
            return false;
          }
        }
        var valid0 = _errs1 === errors;
        if (!valid0) {
          break;
        }
      }
    } else {
      validate38.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        },
      ];
      return false;
    }
  }
  validate38.errors = vErrors;
  return errors === 0;
}
var validateResultProgress = validate39;
var schema24 = {
  type: 'object',
  required: ['goes_on', 'elapsed_ms', 'duration_ms', 'connections', 'result', 'timeline'],
  properties: {
    goes_on: { type: 'boolean' },
    elapsed_ms: { type: ['number', 'null'] },
    duration_ms: { type: 'number' },
    connections: { type: ['number', 'null'] },
    result: { type: 'object' },
    timeline: { type: 'array', items: { type: 'object' } },
  },
};
function validate39(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.goes_on === void 0 && (missing0 = 'goes_on')) ||
        (data.elapsed_ms === void 0 && (missing0 = 'elapsed_ms')) ||
        (data.duration_ms === void 0 && (missing0 = 'duration_ms')) ||
        (data.connections === void 0 && (missing0 = 'connections')) ||
        (data.result === void 0 && (missing0 = 'result')) ||
        (data.timeline === void 0 && (missing0 = 'timeline'))
      ) {
        validate39.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.goes_on !== void 0) {
          const _errs1 = errors;
          if (typeof data.goes_on !== 'boolean') {
            validate39.errors = [
              {
                instancePath: instancePath + '/goes_on',
                schemaPath: '#/properties/goes_on/type',
                keyword: 'type',
                params: { type: 'boolean' },
                message: 'must be boolean',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.elapsed_ms !== void 0) {
            let data1 = data.elapsed_ms;
            const _errs3 = errors;
            if (!(typeof data1 == 'number' && isFinite(data1)) && data1 !== null) {
              validate39.errors = [
                {
                  instancePath: instancePath + '/elapsed_ms',
                  schemaPath: '#/properties/elapsed_ms/type',
                  keyword: 'type',
                  params: { type: schema24.properties.elapsed_ms.type },
                  message: 'must be number,null',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.duration_ms !== void 0) {
              let data2 = data.duration_ms;
              const _errs5 = errors;
              if (!(typeof data2 == 'number' && isFinite(data2))) {
                validate39.errors = [
                  {
                    instancePath: instancePath + '/duration_ms',
                    schemaPath: '#/properties/duration_ms/type',
                    keyword: 'type',
                    params: { type: 'number' },
                    message: 'must be number',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.connections !== void 0) {
                let data3 = data.connections;
                const _errs7 = errors;
                if (!(typeof data3 == 'number' && isFinite(data3)) && data3 !== null) {
                  validate39.errors = [
                    {
                      instancePath: instancePath + '/connections',
                      schemaPath: '#/properties/connections/type',
                      keyword: 'type',
                      params: { type: schema24.properties.connections.type },
                      message: 'must be number,null',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.result !== void 0) {
                  let data4 = data.result;
                  const _errs9 = errors;
                  if (!(data4 && typeof data4 == 'object' && !Array.isArray(data4))) {
                    validate39.errors = [
                      {
                        instancePath: instancePath + '/result',
                        schemaPath: '#/properties/result/type',
                        keyword: 'type',
                        params: { type: 'object' },
                        message: 'must be object',
                      },
                    ];
                    return false;
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.timeline !== void 0) {
                    let data5 = data.timeline;
                    const _errs11 = errors;
                    if (errors === _errs11) {
                      if (Array.isArray(data5)) {
                        var valid1 = true;
                        const len0 = data5.length;
                        for (let i0 = 0; i0 < len0; i0++) {
                          let data6 = data5[i0];
                          const _errs13 = errors;
                          if (!(data6 && typeof data6 == 'object' && !Array.isArray(data6))) {
                            validate39.errors = [
                              {
                                instancePath: instancePath + '/timeline/' + i0,
                                schemaPath: '#/properties/timeline/items/type',
                                keyword: 'type',
                                params: { type: 'object' },
                                message: 'must be object',
                              },
                            ];
                            return false;
                          }
                          var valid1 = _errs13 === errors;
                          if (!valid1) {
                            break;
                          }
                        }
                      } else {
                        validate39.errors = [
                          {
                            instancePath: instancePath + '/timeline',
                            schemaPath: '#/properties/timeline/type',
                            keyword: 'type',
                            params: { type: 'array' },
                            message: 'must be array',
                          },
                        ];
                        return false;
                      }
                    }
                    var valid0 = _errs11 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate39.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate39.errors = vErrors;
  return errors === 0;
}
var validateResultRecord = validate40;
var schema25 = {
  type: 'object',
  required: ['result_id'],
  properties: {
    result_id: { type: ['string', 'number'] },
    started_at: { type: ['string', 'null'] },
    status: { type: ['string', 'null'] },
    public_results_url: { type: ['string', 'null'] },
    success: { type: ['number', 'string', 'null'] },
    error: { type: ['number', 'string', 'null'] },
    timeout_error: { type: ['number', 'string', 'null'] },
    network_error: { type: ['number', 'string', 'null'] },
    data_sent: { type: ['number', 'string', 'null'] },
    data_received: { type: ['number', 'string', 'null'] },
    avg_response_time: { type: ['number', 'string', 'null'] },
    avg_error_rate: { type: ['number', 'string', 'null'] },
    requests: { type: ['number', 'string', 'null'] },
    requests_per_second: { type: ['number', 'string', 'null'] },
    status_codes: { type: ['object', 'null'] },
    latency: { type: ['object', 'null'] },
    service_time: { type: ['object', 'null'] },
    elapsed_ms: { type: ['number', 'null'] },
    timeout_ms: { type: ['number', 'null'] },
    outage: { type: ['object', 'null'] },
    latency_histogram: { type: ['object', 'null'] },
    service_time_histogram: { type: ['object', 'null'] },
    latency_low_histogram: { type: ['object', 'null'] },
    peak_connections: { type: ['number', 'string', 'null'] },
    connect: { type: ['object', 'null'] },
    tls: { type: ['object', 'null'] },
    connect_histogram: { type: ['object', 'null'] },
    tls_histogram: { type: ['object', 'null'] },
    abort_reason: { type: ['string', 'null'] },
    stopped: { type: ['object', 'null'] },
    generator: { type: ['object', 'null'] },
    bounds: { type: ['object', 'null'] },
    offered: { type: ['object', 'null'] },
    machine: { type: ['object', 'null'] },
    judgement: { type: ['object', 'null'] },
    abort_certain: { type: ['boolean', 'null'] },
    warmup: { type: ['object', 'null'] },
    ledger: { type: ['object', 'null'] },
    urls: { type: ['array', 'null'] },
    timeline: { type: ['array', 'null'] },
    error_samples: { type: ['array', 'null'] },
  },
};
function validate40(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (data.result_id === void 0 && (missing0 = 'result_id')) {
        validate40.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.result_id !== void 0) {
          let data0 = data.result_id;
          const _errs1 = errors;
          if (typeof data0 !== 'string' && !(typeof data0 == 'number' && isFinite(data0))) {
            validate40.errors = [
              {
                instancePath: instancePath + '/result_id',
                schemaPath: '#/properties/result_id/type',
                keyword: 'type',
                params: { type: schema25.properties.result_id.type },
                message: 'must be string,number',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.started_at !== void 0) {
            let data1 = data.started_at;
            const _errs3 = errors;
            if (typeof data1 !== 'string' && data1 !== null) {
              validate40.errors = [
                {
                  instancePath: instancePath + '/started_at',
                  schemaPath: '#/properties/started_at/type',
                  keyword: 'type',
                  params: { type: schema25.properties.started_at.type },
                  message: 'must be string,null',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.status !== void 0) {
              let data2 = data.status;
              const _errs5 = errors;
              if (typeof data2 !== 'string' && data2 !== null) {
                validate40.errors = [
                  {
                    instancePath: instancePath + '/status',
                    schemaPath: '#/properties/status/type',
                    keyword: 'type',
                    params: { type: schema25.properties.status.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.public_results_url !== void 0) {
                let data3 = data.public_results_url;
                const _errs7 = errors;
                if (typeof data3 !== 'string' && data3 !== null) {
                  validate40.errors = [
                    {
                      instancePath: instancePath + '/public_results_url',
                      schemaPath: '#/properties/public_results_url/type',
                      keyword: 'type',
                      params: { type: schema25.properties.public_results_url.type },
                      message: 'must be string,null',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.success !== void 0) {
                  let data4 = data.success;
                  const _errs9 = errors;
                  if (
                    !(typeof data4 == 'number' && isFinite(data4)) &&
                    typeof data4 !== 'string' &&
                    data4 !== null
                  ) {
                    validate40.errors = [
                      {
                        instancePath: instancePath + '/success',
                        schemaPath: '#/properties/success/type',
                        keyword: 'type',
                        params: { type: schema25.properties.success.type },
                        message: 'must be number,string,null',
                      },
                    ];
                    return false;
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.error !== void 0) {
                    let data5 = data.error;
                    const _errs11 = errors;
                    if (
                      !(typeof data5 == 'number' && isFinite(data5)) &&
                      typeof data5 !== 'string' &&
                      data5 !== null
                    ) {
                      validate40.errors = [
                        {
                          instancePath: instancePath + '/error',
                          schemaPath: '#/properties/error/type',
                          keyword: 'type',
                          params: { type: schema25.properties.error.type },
                          message: 'must be number,string,null',
                        },
                      ];
                      return false;
                    }
                    var valid0 = _errs11 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.timeout_error !== void 0) {
                      let data6 = data.timeout_error;
                      const _errs13 = errors;
                      if (
                        !(typeof data6 == 'number' && isFinite(data6)) &&
                        typeof data6 !== 'string' &&
                        data6 !== null
                      ) {
                        validate40.errors = [
                          {
                            instancePath: instancePath + '/timeout_error',
                            schemaPath: '#/properties/timeout_error/type',
                            keyword: 'type',
                            params: { type: schema25.properties.timeout_error.type },
                            message: 'must be number,string,null',
                          },
                        ];
                        return false;
                      }
                      var valid0 = _errs13 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.network_error !== void 0) {
                        let data7 = data.network_error;
                        const _errs15 = errors;
                        if (
                          !(typeof data7 == 'number' && isFinite(data7)) &&
                          typeof data7 !== 'string' &&
                          data7 !== null
                        ) {
                          validate40.errors = [
                            {
                              instancePath: instancePath + '/network_error',
                              schemaPath: '#/properties/network_error/type',
                              keyword: 'type',
                              params: { type: schema25.properties.network_error.type },
                              message: 'must be number,string,null',
                            },
                          ];
                          return false;
                        }
                        var valid0 = _errs15 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.data_sent !== void 0) {
                          let data8 = data.data_sent;
                          const _errs17 = errors;
                          if (
                            !(typeof data8 == 'number' && isFinite(data8)) &&
                            typeof data8 !== 'string' &&
                            data8 !== null
                          ) {
                            validate40.errors = [
                              {
                                instancePath: instancePath + '/data_sent',
                                schemaPath: '#/properties/data_sent/type',
                                keyword: 'type',
                                params: { type: schema25.properties.data_sent.type },
                                message: 'must be number,string,null',
                              },
                            ];
                            return false;
                          }
                          var valid0 = _errs17 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.data_received !== void 0) {
                            let data9 = data.data_received;
                            const _errs19 = errors;
                            if (
                              !(typeof data9 == 'number' && isFinite(data9)) &&
                              typeof data9 !== 'string' &&
                              data9 !== null
                            ) {
                              validate40.errors = [
                                {
                                  instancePath: instancePath + '/data_received',
                                  schemaPath: '#/properties/data_received/type',
                                  keyword: 'type',
                                  params: { type: schema25.properties.data_received.type },
                                  message: 'must be number,string,null',
                                },
                              ];
                              return false;
                            }
                            var valid0 = _errs19 === errors;
                          } else {
                            var valid0 = true;
                          }
                          if (valid0) {
                            if (data.avg_response_time !== void 0) {
                              let data10 = data.avg_response_time;
                              const _errs21 = errors;
                              if (
                                !(typeof data10 == 'number' && isFinite(data10)) &&
                                typeof data10 !== 'string' &&
                                data10 !== null
                              ) {
                                validate40.errors = [
                                  {
                                    instancePath: instancePath + '/avg_response_time',
                                    schemaPath: '#/properties/avg_response_time/type',
                                    keyword: 'type',
                                    params: { type: schema25.properties.avg_response_time.type },
                                    message: 'must be number,string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid0 = _errs21 === errors;
                            } else {
                              var valid0 = true;
                            }
                            if (valid0) {
                              if (data.avg_error_rate !== void 0) {
                                let data11 = data.avg_error_rate;
                                const _errs23 = errors;
                                if (
                                  !(typeof data11 == 'number' && isFinite(data11)) &&
                                  typeof data11 !== 'string' &&
                                  data11 !== null
                                ) {
                                  validate40.errors = [
                                    {
                                      instancePath: instancePath + '/avg_error_rate',
                                      schemaPath: '#/properties/avg_error_rate/type',
                                      keyword: 'type',
                                      params: { type: schema25.properties.avg_error_rate.type },
                                      message: 'must be number,string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid0 = _errs23 === errors;
                              } else {
                                var valid0 = true;
                              }
                              if (valid0) {
                                if (data.requests !== void 0) {
                                  let data12 = data.requests;
                                  const _errs25 = errors;
                                  if (
                                    !(typeof data12 == 'number' && isFinite(data12)) &&
                                    typeof data12 !== 'string' &&
                                    data12 !== null
                                  ) {
                                    validate40.errors = [
                                      {
                                        instancePath: instancePath + '/requests',
                                        schemaPath: '#/properties/requests/type',
                                        keyword: 'type',
                                        params: { type: schema25.properties.requests.type },
                                        message: 'must be number,string,null',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid0 = _errs25 === errors;
                                } else {
                                  var valid0 = true;
                                }
                                if (valid0) {
                                  if (data.requests_per_second !== void 0) {
                                    let data13 = data.requests_per_second;
                                    const _errs27 = errors;
                                    if (
                                      !(typeof data13 == 'number' && isFinite(data13)) &&
                                      typeof data13 !== 'string' &&
                                      data13 !== null
                                    ) {
                                      validate40.errors = [
                                        {
                                          instancePath: instancePath + '/requests_per_second',
                                          schemaPath: '#/properties/requests_per_second/type',
                                          keyword: 'type',
                                          params: { type: schema25.properties.requests_per_second.type },
                                          message: 'must be number,string,null',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid0 = _errs27 === errors;
                                  } else {
                                    var valid0 = true;
                                  }
                                  if (valid0) {
                                    if (data.status_codes !== void 0) {
                                      let data14 = data.status_codes;
                                      const _errs29 = errors;
                                      if (
                                        !(data14 && typeof data14 == 'object' && !Array.isArray(data14)) &&
                                        data14 !== null
                                      ) {
                                        validate40.errors = [
                                          {
                                            instancePath: instancePath + '/status_codes',
                                            schemaPath: '#/properties/status_codes/type',
                                            keyword: 'type',
                                            params: { type: schema25.properties.status_codes.type },
                                            message: 'must be object,null',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid0 = _errs29 === errors;
                                    } else {
                                      var valid0 = true;
                                    }
                                    if (valid0) {
                                      if (data.latency !== void 0) {
                                        let data15 = data.latency;
                                        const _errs31 = errors;
                                        if (
                                          !(data15 && typeof data15 == 'object' && !Array.isArray(data15)) &&
                                          data15 !== null
                                        ) {
                                          validate40.errors = [
                                            {
                                              instancePath: instancePath + '/latency',
                                              schemaPath: '#/properties/latency/type',
                                              keyword: 'type',
                                              params: { type: schema25.properties.latency.type },
                                              message: 'must be object,null',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid0 = _errs31 === errors;
                                      } else {
                                        var valid0 = true;
                                      }
                                      if (valid0) {
                                        if (data.service_time !== void 0) {
                                          let data16 = data.service_time;
                                          const _errs33 = errors;
                                          if (
                                            !(
                                              data16 &&
                                              typeof data16 == 'object' &&
                                              !Array.isArray(data16)
                                            ) &&
                                            data16 !== null
                                          ) {
                                            validate40.errors = [
                                              {
                                                instancePath: instancePath + '/service_time',
                                                schemaPath: '#/properties/service_time/type',
                                                keyword: 'type',
                                                params: { type: schema25.properties.service_time.type },
                                                message: 'must be object,null',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid0 = _errs33 === errors;
                                        } else {
                                          var valid0 = true;
                                        }
                                        if (valid0) {
                                          if (data.elapsed_ms !== void 0) {
                                            let data17 = data.elapsed_ms;
                                            const _errs35 = errors;
                                            if (
                                              !(typeof data17 == 'number' && isFinite(data17)) &&
                                              data17 !== null
                                            ) {
                                              validate40.errors = [
                                                {
                                                  instancePath: instancePath + '/elapsed_ms',
                                                  schemaPath: '#/properties/elapsed_ms/type',
                                                  keyword: 'type',
                                                  params: { type: schema25.properties.elapsed_ms.type },
                                                  message: 'must be number,null',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid0 = _errs35 === errors;
                                          } else {
                                            var valid0 = true;
                                          }
                                          if (valid0) {
                                            if (data.timeout_ms !== void 0) {
                                              let data18 = data.timeout_ms;
                                              const _errs37 = errors;
                                              if (
                                                !(typeof data18 == 'number' && isFinite(data18)) &&
                                                data18 !== null
                                              ) {
                                                validate40.errors = [
                                                  {
                                                    instancePath: instancePath + '/timeout_ms',
                                                    schemaPath: '#/properties/timeout_ms/type',
                                                    keyword: 'type',
                                                    params: { type: schema25.properties.timeout_ms.type },
                                                    message: 'must be number,null',
                                                  },
                                                ];
                                                return false;
                                              }
                                              var valid0 = _errs37 === errors;
                                            } else {
                                              var valid0 = true;
                                            }
                                            if (valid0) {
                                              if (data.outage !== void 0) {
                                                let data19 = data.outage;
                                                const _errs39 = errors;
                                                if (
                                                  !(
                                                    data19 &&
                                                    typeof data19 == 'object' &&
                                                    !Array.isArray(data19)
                                                  ) &&
                                                  data19 !== null
                                                ) {
                                                  validate40.errors = [
                                                    {
                                                      instancePath: instancePath + '/outage',
                                                      schemaPath: '#/properties/outage/type',
                                                      keyword: 'type',
                                                      params: { type: schema25.properties.outage.type },
                                                      message: 'must be object,null',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                                var valid0 = _errs39 === errors;
                                              } else {
                                                var valid0 = true;
                                              }
                                              if (valid0) {
                                                if (data.latency_histogram !== void 0) {
                                                  let data20 = data.latency_histogram;
                                                  const _errs41 = errors;
                                                  if (
                                                    !(
                                                      data20 &&
                                                      typeof data20 == 'object' &&
                                                      !Array.isArray(data20)
                                                    ) &&
                                                    data20 !== null
                                                  ) {
                                                    validate40.errors = [
                                                      {
                                                        instancePath: instancePath + '/latency_histogram',
                                                        schemaPath: '#/properties/latency_histogram/type',
                                                        keyword: 'type',
                                                        params: {
                                                          type: schema25.properties.latency_histogram.type,
                                                        },
                                                        message: 'must be object,null',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                  var valid0 = _errs41 === errors;
                                                } else {
                                                  var valid0 = true;
                                                }
                                                if (valid0) {
                                                  if (data.service_time_histogram !== void 0) {
                                                    let data21 = data.service_time_histogram;
                                                    const _errs43 = errors;
                                                    if (
                                                      !(
                                                        data21 &&
                                                        typeof data21 == 'object' &&
                                                        !Array.isArray(data21)
                                                      ) &&
                                                      data21 !== null
                                                    ) {
                                                      validate40.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath + '/service_time_histogram',
                                                          schemaPath:
                                                            '#/properties/service_time_histogram/type',
                                                          keyword: 'type',
                                                          params: {
                                                            type: schema25.properties.service_time_histogram
                                                              .type,
                                                          },
                                                          message: 'must be object,null',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                    var valid0 = _errs43 === errors;
                                                  } else {
                                                    var valid0 = true;
                                                  }
                                                  if (valid0) {
                                                    if (data.latency_low_histogram !== void 0) {
                                                      let data22 = data.latency_low_histogram;
                                                      const _errs45 = errors;
                                                      if (
                                                        !(
                                                          data22 &&
                                                          typeof data22 == 'object' &&
                                                          !Array.isArray(data22)
                                                        ) &&
                                                        data22 !== null
                                                      ) {
                                                        validate40.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath + '/latency_low_histogram',
                                                            schemaPath:
                                                              '#/properties/latency_low_histogram/type',
                                                            keyword: 'type',
                                                            params: {
                                                              type: schema25.properties.latency_low_histogram
                                                                .type,
                                                            },
                                                            message: 'must be object,null',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                      var valid0 = _errs45 === errors;
                                                    } else {
                                                      var valid0 = true;
                                                    }
                                                    if (valid0) {
                                                      if (data.peak_connections !== void 0) {
                                                        let data23 = data.peak_connections;
                                                        const _errs47 = errors;
                                                        if (
                                                          !(typeof data23 == 'number' && isFinite(data23)) &&
                                                          typeof data23 !== 'string' &&
                                                          data23 !== null
                                                        ) {
                                                          validate40.errors = [
                                                            {
                                                              instancePath:
                                                                instancePath + '/peak_connections',
                                                              schemaPath:
                                                                '#/properties/peak_connections/type',
                                                              keyword: 'type',
                                                              params: {
                                                                type: schema25.properties.peak_connections
                                                                  .type,
                                                              },
                                                              message: 'must be number,string,null',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                        var valid0 = _errs47 === errors;
                                                      } else {
                                                        var valid0 = true;
                                                      }
                                                      if (valid0) {
                                                        if (data.connect !== void 0) {
                                                          let data24 = data.connect;
                                                          const _errs49 = errors;
                                                          if (
                                                            !(
                                                              data24 &&
                                                              typeof data24 == 'object' &&
                                                              !Array.isArray(data24)
                                                            ) &&
                                                            data24 !== null
                                                          ) {
                                                            validate40.errors = [
                                                              {
                                                                instancePath: instancePath + '/connect',
                                                                schemaPath: '#/properties/connect/type',
                                                                keyword: 'type',
                                                                params: {
                                                                  type: schema25.properties.connect.type,
                                                                },
                                                                message: 'must be object,null',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                          var valid0 = _errs49 === errors;
                                                        } else {
                                                          var valid0 = true;
                                                        }
                                                        if (valid0) {
                                                          if (data.tls !== void 0) {
                                                            let data25 = data.tls;
                                                            const _errs51 = errors;
                                                            if (
                                                              !(
                                                                data25 &&
                                                                typeof data25 == 'object' &&
                                                                !Array.isArray(data25)
                                                              ) &&
                                                              data25 !== null
                                                            ) {
                                                              validate40.errors = [
                                                                {
                                                                  instancePath: instancePath + '/tls',
                                                                  schemaPath: '#/properties/tls/type',
                                                                  keyword: 'type',
                                                                  params: {
                                                                    type: schema25.properties.tls.type,
                                                                  },
                                                                  message: 'must be object,null',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid0 = _errs51 === errors;
                                                          } else {
                                                            var valid0 = true;
                                                          }
                                                          if (valid0) {
                                                            if (data.connect_histogram !== void 0) {
                                                              let data26 = data.connect_histogram;
                                                              const _errs53 = errors;
                                                              if (
                                                                !(
                                                                  data26 &&
                                                                  typeof data26 == 'object' &&
                                                                  !Array.isArray(data26)
                                                                ) &&
                                                                data26 !== null
                                                              ) {
                                                                validate40.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath + '/connect_histogram',
                                                                    schemaPath:
                                                                      '#/properties/connect_histogram/type',
                                                                    keyword: 'type',
                                                                    params: {
                                                                      type: schema25.properties
                                                                        .connect_histogram.type,
                                                                    },
                                                                    message: 'must be object,null',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                              var valid0 = _errs53 === errors;
                                                            } else {
                                                              var valid0 = true;
                                                            }
                                                            if (valid0) {
                                                              if (data.tls_histogram !== void 0) {
                                                                let data27 = data.tls_histogram;
                                                                const _errs55 = errors;
                                                                if (
                                                                  !(
                                                                    data27 &&
                                                                    typeof data27 == 'object' &&
                                                                    !Array.isArray(data27)
                                                                  ) &&
                                                                  data27 !== null
                                                                ) {
                                                                  validate40.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath + '/tls_histogram',
                                                                      schemaPath:
                                                                        '#/properties/tls_histogram/type',
                                                                      keyword: 'type',
                                                                      params: {
                                                                        type: schema25.properties
                                                                          .tls_histogram.type,
                                                                      },
                                                                      message: 'must be object,null',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                                var valid0 = _errs55 === errors;
                                                              } else {
                                                                var valid0 = true;
                                                              }
                                                              if (valid0) {
                                                                if (data.abort_reason !== void 0) {
                                                                  let data28 = data.abort_reason;
                                                                  const _errs57 = errors;
                                                                  if (
                                                                    typeof data28 !== 'string' &&
                                                                    data28 !== null
                                                                  ) {
                                                                    validate40.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath + '/abort_reason',
                                                                        schemaPath:
                                                                          '#/properties/abort_reason/type',
                                                                        keyword: 'type',
                                                                        params: {
                                                                          type: schema25.properties
                                                                            .abort_reason.type,
                                                                        },
                                                                        message: 'must be string,null',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                  var valid0 = _errs57 === errors;
                                                                } else {
                                                                  var valid0 = true;
                                                                }
                                                                if (valid0) {
                                                                  if (data.stopped !== void 0) {
                                                                    let data29 = data.stopped;
                                                                    const _errs59 = errors;
                                                                    if (
                                                                      !(
                                                                        data29 &&
                                                                        typeof data29 == 'object' &&
                                                                        !Array.isArray(data29)
                                                                      ) &&
                                                                      data29 !== null
                                                                    ) {
                                                                      validate40.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath + '/stopped',
                                                                          schemaPath:
                                                                            '#/properties/stopped/type',
                                                                          keyword: 'type',
                                                                          params: {
                                                                            type: schema25.properties.stopped
                                                                              .type,
                                                                          },
                                                                          message: 'must be object,null',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                    var valid0 = _errs59 === errors;
                                                                  } else {
                                                                    var valid0 = true;
                                                                  }
                                                                  if (valid0) {
                                                                    if (data.generator !== void 0) {
                                                                      let data30 = data.generator;
                                                                      const _errs61 = errors;
                                                                      if (
                                                                        !(
                                                                          data30 &&
                                                                          typeof data30 == 'object' &&
                                                                          !Array.isArray(data30)
                                                                        ) &&
                                                                        data30 !== null
                                                                      ) {
                                                                        validate40.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath + '/generator',
                                                                            schemaPath:
                                                                              '#/properties/generator/type',
                                                                            keyword: 'type',
                                                                            params: {
                                                                              type: schema25.properties
                                                                                .generator.type,
                                                                            },
                                                                            message: 'must be object,null',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                      var valid0 = _errs61 === errors;
                                                                    } else {
                                                                      var valid0 = true;
                                                                    }
                                                                    if (valid0) {
                                                                      if (data.bounds !== void 0) {
                                                                        let data31 = data.bounds;
                                                                        const _errs63 = errors;
                                                                        if (
                                                                          !(
                                                                            data31 &&
                                                                            typeof data31 == 'object' &&
                                                                            !Array.isArray(data31)
                                                                          ) &&
                                                                          data31 !== null
                                                                        ) {
                                                                          validate40.errors = [
                                                                            {
                                                                              instancePath:
                                                                                instancePath + '/bounds',
                                                                              schemaPath:
                                                                                '#/properties/bounds/type',
                                                                              keyword: 'type',
                                                                              params: {
                                                                                type: schema25.properties
                                                                                  .bounds.type,
                                                                              },
                                                                              message: 'must be object,null',
                                                                            },
                                                                          ];
                                                                          return false;
                                                                        }
                                                                        var valid0 = _errs63 === errors;
                                                                      } else {
                                                                        var valid0 = true;
                                                                      }
                                                                      if (valid0) {
                                                                        if (data.offered !== void 0) {
                                                                          let data32 = data.offered;
                                                                          const _errs65 = errors;
                                                                          if (
                                                                            !(
                                                                              data32 &&
                                                                              typeof data32 == 'object' &&
                                                                              !Array.isArray(data32)
                                                                            ) &&
                                                                            data32 !== null
                                                                          ) {
                                                                            validate40.errors = [
                                                                              {
                                                                                instancePath:
                                                                                  instancePath + '/offered',
                                                                                schemaPath:
                                                                                  '#/properties/offered/type',
                                                                                keyword: 'type',
                                                                                params: {
                                                                                  type: schema25.properties
                                                                                    .offered.type,
                                                                                },
                                                                                message:
                                                                                  'must be object,null',
                                                                              },
                                                                            ];
                                                                            return false;
                                                                          }
                                                                          var valid0 = _errs65 === errors;
                                                                        } else {
                                                                          var valid0 = true;
                                                                        }
                                                                        if (valid0) {
                                                                          if (data.machine !== void 0) {
                                                                            let data33 = data.machine;
                                                                            const _errs67 = errors;
                                                                            if (
                                                                              !(
                                                                                data33 &&
                                                                                typeof data33 == 'object' &&
                                                                                !Array.isArray(data33)
                                                                              ) &&
                                                                              data33 !== null
                                                                            ) {
                                                                              validate40.errors = [
                                                                                {
                                                                                  instancePath:
                                                                                    instancePath + '/machine',
                                                                                  schemaPath:
                                                                                    '#/properties/machine/type',
                                                                                  keyword: 'type',
                                                                                  params: {
                                                                                    type: schema25.properties
                                                                                      .machine.type,
                                                                                  },
                                                                                  message:
                                                                                    'must be object,null',
                                                                                },
                                                                              ];
                                                                              return false;
                                                                            }
                                                                            var valid0 = _errs67 === errors;
                                                                          } else {
                                                                            var valid0 = true;
                                                                          }
                                                                          if (valid0) {
                                                                            if (data.judgement !== void 0) {
                                                                              let data34 = data.judgement;
                                                                              const _errs69 = errors;
                                                                              if (
                                                                                !(
                                                                                  data34 &&
                                                                                  typeof data34 == 'object' &&
                                                                                  !Array.isArray(data34)
                                                                                ) &&
                                                                                data34 !== null
                                                                              ) {
                                                                                validate40.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/judgement',
                                                                                    schemaPath:
                                                                                      '#/properties/judgement/type',
                                                                                    keyword: 'type',
                                                                                    params: {
                                                                                      type: schema25
                                                                                        .properties.judgement
                                                                                        .type,
                                                                                    },
                                                                                    message:
                                                                                      'must be object,null',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                              var valid0 = _errs69 === errors;
                                                                            } else {
                                                                              var valid0 = true;
                                                                            }
                                                                            if (valid0) {
                                                                              if (
                                                                                data.abort_certain !== void 0
                                                                              ) {
                                                                                let data35 =
                                                                                  data.abort_certain;
                                                                                const _errs71 = errors;
                                                                                if (
                                                                                  typeof data35 !==
                                                                                    'boolean' &&
                                                                                  data35 !== null
                                                                                ) {
                                                                                  validate40.errors = [
                                                                                    {
                                                                                      instancePath:
                                                                                        instancePath +
                                                                                        '/abort_certain',
                                                                                      schemaPath:
                                                                                        '#/properties/abort_certain/type',
                                                                                      keyword: 'type',
                                                                                      params: {
                                                                                        type: schema25
                                                                                          .properties
                                                                                          .abort_certain.type,
                                                                                      },
                                                                                      message:
                                                                                        'must be boolean,null',
                                                                                    },
                                                                                  ];
                                                                                  return false;
                                                                                }
                                                                                var valid0 =
                                                                                  _errs71 === errors;
                                                                              } else {
                                                                                var valid0 = true;
                                                                              }
                                                                              if (valid0) {
                                                                                if (data.warmup !== void 0) {
                                                                                  let data36 = data.warmup;
                                                                                  const _errs73 = errors;
                                                                                  if (
                                                                                    !(
                                                                                      data36 &&
                                                                                      typeof data36 ==
                                                                                        'object' &&
                                                                                      !Array.isArray(data36)
                                                                                    ) &&
                                                                                    data36 !== null
                                                                                  ) {
                                                                                    validate40.errors = [
                                                                                      {
                                                                                        instancePath:
                                                                                          instancePath +
                                                                                          '/warmup',
                                                                                        schemaPath:
                                                                                          '#/properties/warmup/type',
                                                                                        keyword: 'type',
                                                                                        params: {
                                                                                          type: schema25
                                                                                            .properties.warmup
                                                                                            .type,
                                                                                        },
                                                                                        message:
                                                                                          'must be object,null',
                                                                                      },
                                                                                    ];
                                                                                    return false;
                                                                                  }
                                                                                  var valid0 =
                                                                                    _errs73 === errors;
                                                                                } else {
                                                                                  var valid0 = true;
                                                                                }
                                                                                if (valid0) {
                                                                                  if (
                                                                                    data.ledger !== void 0
                                                                                  ) {
                                                                                    let data37 = data.ledger;
                                                                                    const _errs75 = errors;
                                                                                    if (
                                                                                      !(
                                                                                        data37 &&
                                                                                        typeof data37 ==
                                                                                          'object' &&
                                                                                        !Array.isArray(data37)
                                                                                      ) &&
                                                                                      data37 !== null
                                                                                    ) {
                                                                                      validate40.errors = [
                                                                                        {
                                                                                          instancePath:
                                                                                            instancePath +
                                                                                            '/ledger',
                                                                                          schemaPath:
                                                                                            '#/properties/ledger/type',
                                                                                          keyword: 'type',
                                                                                          params: {
                                                                                            type: schema25
                                                                                              .properties
                                                                                              .ledger.type,
                                                                                          },
                                                                                          message:
                                                                                            'must be object,null',
                                                                                        },
                                                                                      ];
                                                                                      return false;
                                                                                    }
                                                                                    var valid0 =
                                                                                      _errs75 === errors;
                                                                                  } else {
                                                                                    var valid0 = true;
                                                                                  }
                                                                                  if (valid0) {
                                                                                    if (
                                                                                      data.urls !== void 0
                                                                                    ) {
                                                                                      let data38 = data.urls;
                                                                                      const _errs77 = errors;
                                                                                      if (
                                                                                        !Array.isArray(
                                                                                          data38,
                                                                                        ) &&
                                                                                        data38 !== null
                                                                                      ) {
                                                                                        validate40.errors = [
                                                                                          {
                                                                                            instancePath:
                                                                                              instancePath +
                                                                                              '/urls',
                                                                                            schemaPath:
                                                                                              '#/properties/urls/type',
                                                                                            keyword: 'type',
                                                                                            params: {
                                                                                              type: schema25
                                                                                                .properties
                                                                                                .urls.type,
                                                                                            },
                                                                                            message:
                                                                                              'must be array,null',
                                                                                          },
                                                                                        ];
                                                                                        return false;
                                                                                      }
                                                                                      var valid0 =
                                                                                        _errs77 === errors;
                                                                                    } else {
                                                                                      var valid0 = true;
                                                                                    }
                                                                                    if (valid0) {
                                                                                      if (
                                                                                        data.timeline !==
                                                                                        void 0
                                                                                      ) {
                                                                                        let data39 =
                                                                                          data.timeline;
                                                                                        const _errs79 =
                                                                                          errors;
                                                                                        if (
                                                                                          !Array.isArray(
                                                                                            data39,
                                                                                          ) &&
                                                                                          data39 !== null
                                                                                        ) {
                                                                                          validate40.errors =
                                                                                            [
                                                                                              {
                                                                                                instancePath:
                                                                                                  instancePath +
                                                                                                  '/timeline',
                                                                                                schemaPath:
                                                                                                  '#/properties/timeline/type',
                                                                                                keyword:
                                                                                                  'type',
                                                                                                params: {
                                                                                                  type: schema25
                                                                                                    .properties
                                                                                                    .timeline
                                                                                                    .type,
                                                                                                },
                                                                                                message:
                                                                                                  'must be array,null',
                                                                                              },
                                                                                            ];
                                                                                          return false;
                                                                                        }
                                                                                        var valid0 =
                                                                                          _errs79 === errors;
                                                                                      } else {
                                                                                        var valid0 = true;
                                                                                      }
                                                                                      if (valid0) {
                                                                                        if (
                                                                                          data.error_samples !==
                                                                                          void 0
                                                                                        ) {
                                                                                          let data40 =
                                                                                            data.error_samples;
                                                                                          const _errs81 =
                                                                                            errors;
                                                                                          if (
                                                                                            !Array.isArray(
                                                                                              data40,
                                                                                            ) &&
                                                                                            data40 !== null
                                                                                          ) {
                                                                                            validate40.errors =
                                                                                              [
                                                                                                {
                                                                                                  instancePath:
                                                                                                    instancePath +
                                                                                                    '/error_samples',
                                                                                                  schemaPath:
                                                                                                    '#/properties/error_samples/type',
                                                                                                  keyword:
                                                                                                    'type',
                                                                                                  params: {
                                                                                                    type: schema25
                                                                                                      .properties
                                                                                                      .error_samples
                                                                                                      .type,
                                                                                                  },
                                                                                                  message:
                                                                                                    'must be array,null',
                                                                                                },
                                                                                              ];
                                                                                            return false;
                                                                                          }
                                                                                          var valid0 =
                                                                                            _errs81 ===
                                                                                            errors;
                                                                                        } else {
                                                                                          var valid0 = true;
                                                                                        }
                                                                                      }
                                                                                    }
                                                                                  }
                                                                                }
                                                                              }
                                                                            }
                                                                          }
                                                                        }
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate40.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate40.errors = vErrors;
  return errors === 0;
}
var validateRunAnswer = validate41;
var schema26 = {
  type: 'object',
  required: ['message'],
  properties: {
    message: { type: 'string' },
    test_id: { type: ['string', 'number', 'null'] },
    status: { type: ['string', 'null'] },
    result_id: { type: ['string', 'number', 'null'] },
  },
};
function validate41(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (data.message === void 0 && (missing0 = 'message')) {
        validate41.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.message !== void 0) {
          const _errs1 = errors;
          if (typeof data.message !== 'string') {
            validate41.errors = [
              {
                instancePath: instancePath + '/message',
                schemaPath: '#/properties/message/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.test_id !== void 0) {
            let data1 = data.test_id;
            const _errs3 = errors;
            if (
              typeof data1 !== 'string' &&
              !(typeof data1 == 'number' && isFinite(data1)) &&
              data1 !== null
            ) {
              validate41.errors = [
                {
                  instancePath: instancePath + '/test_id',
                  schemaPath: '#/properties/test_id/type',
                  keyword: 'type',
                  params: { type: schema26.properties.test_id.type },
                  message: 'must be string,number,null',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.status !== void 0) {
              let data2 = data.status;
              const _errs5 = errors;
              if (typeof data2 !== 'string' && data2 !== null) {
                validate41.errors = [
                  {
                    instancePath: instancePath + '/status',
                    schemaPath: '#/properties/status/type',
                    keyword: 'type',
                    params: { type: schema26.properties.status.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.result_id !== void 0) {
                let data3 = data.result_id;
                const _errs7 = errors;
                if (
                  typeof data3 !== 'string' &&
                  !(typeof data3 == 'number' && isFinite(data3)) &&
                  data3 !== null
                ) {
                  validate41.errors = [
                    {
                      instancePath: instancePath + '/result_id',
                      schemaPath: '#/properties/result_id/type',
                      keyword: 'type',
                      params: { type: schema26.properties.result_id.type },
                      message: 'must be string,number,null',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
            }
          }
        }
      }
    } else {
      validate41.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate41.errors = vErrors;
  return errors === 0;
}
var validateServers = validate42;
function validate42(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (data.ip_addresses === void 0 && (missing0 = 'ip_addresses')) {
        validate42.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.ip_addresses !== void 0) {
          let data0 = data.ip_addresses;
          const _errs1 = errors;
          if (errors === _errs1) {
            if (Array.isArray(data0)) {
              var valid1 = true;
              const len0 = data0.length;
              for (let i0 = 0; i0 < len0; i0++) {
                const _errs3 = errors;
                if (typeof data0[i0] !== 'string') {
                  validate42.errors = [
                    {
                      instancePath: instancePath + '/ip_addresses/' + i0,
                      schemaPath: '#/properties/ip_addresses/items/type',
                      keyword: 'type',
                      params: { type: 'string' },
                      message: 'must be string',
                    },
                  ];
                  return false;
                }
                var valid1 = _errs3 === errors;
                if (!valid1) {
                  break;
                }
              }
            } else {
              validate42.errors = [
                {
                  instancePath: instancePath + '/ip_addresses',
                  schemaPath: '#/properties/ip_addresses/type',
                  keyword: 'type',
                  params: { type: 'array' },
                  message: 'must be array',
                },
              ];
              return false;
            }
          }
        }
      }
    } else {
      validate42.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate42.errors = vErrors;
  return errors === 0;
}
var validateTestCreate = validate43;
var schema28 = {
  type: 'object',
  required: ['test_type', 'urls', 'duration'],
  additionalProperties: false,
  properties: {
    test_type: { enum: ['cycling', 'non-cycling', 'per-second'] },
    urls: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['url'],
        additionalProperties: false,
        properties: {
          url: { type: 'string', minLength: 1, maxLength: 8192 },
          request_type: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
          credentials: {
            type: 'object',
            required: ['login', 'password'],
            additionalProperties: false,
            properties: {
              login: { type: 'string', maxLength: 1024 },
              password: { type: 'string', maxLength: 1024 },
            },
          },
          headers: {
            type: 'object',
            maxProperties: 100,
            additionalProperties: { type: 'string', maxLength: 65536 },
          },
          request_params: {
            type: 'object',
            maxProperties: 1e3,
            additionalProperties: { type: 'string', maxLength: 65536 },
          },
          raw_post_body: { type: 'string', maxLength: 1048576 },
          payload_file_url: { type: 'string', maxLength: 8192 },
          payload_file: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          expect: {
            type: 'object',
            minProperties: 1,
            additionalProperties: false,
            properties: {
              status: {
                type: 'array',
                minItems: 1,
                maxItems: 100,
                items: { type: ['integer', 'string'], minimum: 200, maximum: 599, pattern: '^[2-5]xx$' },
              },
              headers: {
                type: 'object',
                maxProperties: 100,
                additionalProperties: { type: 'string', maxLength: 65536 },
              },
              body: { type: 'string', minLength: 1, maxLength: 65536 },
              json: {
                type: 'object',
                maxProperties: 100,
                additionalProperties: { type: ['string', 'number', 'boolean', 'null'], maxLength: 65536 },
              },
            },
          },
          raw_post_body_json: { type: 'boolean', default: false },
          delay: {
            oneOf: [
              { type: 'integer', minimum: 0, maximum: 6e5 },
              {
                type: 'array',
                items: { type: 'integer', minimum: 0, maximum: 6e5 },
                minItems: 2,
                maxItems: 2,
              },
            ],
          },
          variables: {
            type: 'array',
            maxItems: 50,
            items: {
              type: 'object',
              required: ['name', 'property', 'source'],
              additionalProperties: false,
              properties: {
                name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}$' },
                property: { type: 'string', maxLength: 200 },
                source: { enum: ['header', 'cookie', 'json', 'body'] },
              },
            },
          },
        },
      },
    },
    duration: { type: 'integer', minimum: 1, maximum: 86400 },
    stages: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['for', 'to'],
        additionalProperties: false,
        properties: {
          for: { type: 'integer', minimum: 0, maximum: 86400 },
          to: { type: 'integer', minimum: 0, maximum: 1e6 },
        },
      },
    },
    warmup: { type: 'integer', minimum: 1, maximum: 86400 },
    initial: { type: 'integer', minimum: 0, maximum: 1e6 },
    total: { type: 'integer', minimum: 1, maximum: 1e6 },
    timeout: { type: 'integer', minimum: 1, maximum: 6e5 },
    error_threshold: { type: 'number', minimum: 0, maximum: 100 },
    callback: { type: 'string', maxLength: 8192 },
    callback_email: { type: 'string', maxLength: 320 },
    scheduled_at: { type: 'string', maxLength: 40 },
    name: { type: 'string', maxLength: 1e3 },
    notes: { type: 'string', maxLength: 65536 },
    tls_verify: { type: 'boolean' },
    tag_names: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 1e3 } },
    next_run_at: { type: 'string', maxLength: 40 },
  },
};
var func11 = Object.prototype.hasOwnProperty;
var pattern3 = new RegExp('^[2-5]xx$', 'u');
var pattern4 = new RegExp('^[A-Za-z_][A-Za-z0-9_-]{0,63}$', 'u');
function validate43(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.test_type === void 0 && (missing0 = 'test_type')) ||
        (data.urls === void 0 && (missing0 = 'urls')) ||
        (data.duration === void 0 && (missing0 = 'duration'))
      ) {
        validate43.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!func11.call(schema28.properties, key0)) {
            validate43.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.test_type !== void 0) {
            let data0 = data.test_type;
            const _errs2 = errors;
            if (!(data0 === 'cycling' || data0 === 'non-cycling' || data0 === 'per-second')) {
              validate43.errors = [
                {
                  instancePath: instancePath + '/test_type',
                  schemaPath: '#/properties/test_type/enum',
                  keyword: 'enum',
                  params: { allowedValues: schema28.properties.test_type.enum },
                  message: 'must be equal to one of the allowed values',
                },
              ];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.urls !== void 0) {
              let data1 = data.urls;
              const _errs3 = errors;
              if (errors === _errs3) {
                if (Array.isArray(data1)) {
                  if (data1.length > 100) {
                    validate43.errors = [
                      {
                        instancePath: instancePath + '/urls',
                        schemaPath: '#/properties/urls/maxItems',
                        keyword: 'maxItems',
                        params: { limit: 100 },
                        message: 'must NOT have more than 100 items',
                      },
                    ];
                    return false;
                  } else {
                    if (data1.length < 1) {
                      validate43.errors = [
                        {
                          instancePath: instancePath + '/urls',
                          schemaPath: '#/properties/urls/minItems',
                          keyword: 'minItems',
                          params: { limit: 1 },
                          message: 'must NOT have fewer than 1 items',
                        },
                      ];
                      return false;
                    } else {
                      var valid1 = true;
                      const len0 = data1.length;
                      for (let i0 = 0; i0 < len0; i0++) {
                        let data2 = data1[i0];
                        const _errs5 = errors;
                        if (errors === _errs5) {
                          if (data2 && typeof data2 == 'object' && !Array.isArray(data2)) {
                            let missing1;
                            if (data2.url === void 0 && (missing1 = 'url')) {
                              validate43.errors = [
                                {
                                  instancePath: instancePath + '/urls/' + i0,
                                  schemaPath: '#/properties/urls/items/required',
                                  keyword: 'required',
                                  params: { missingProperty: missing1 },
                                  message: "must have required property '" + missing1 + "'",
                                },
                              ];
                              return false;
                            } else {
                              const _errs7 = errors;
                              for (const key1 in data2) {
                                if (!func11.call(schema28.properties.urls.items.properties, key1)) {
                                  validate43.errors = [
                                    {
                                      instancePath: instancePath + '/urls/' + i0,
                                      schemaPath: '#/properties/urls/items/additionalProperties',
                                      keyword: 'additionalProperties',
                                      params: { additionalProperty: key1 },
                                      message: 'must NOT have additional properties',
                                    },
                                  ];
                                  return false;
                                  break;
                                }
                              }
                              if (_errs7 === errors) {
                                if (data2.url !== void 0) {
                                  let data3 = data2.url;
                                  const _errs8 = errors;
                                  if (errors === _errs8) {
                                    if (typeof data3 === 'string') {
                                      if (func2(data3) > 8192) {
                                        validate43.errors = [
                                          {
                                            instancePath: instancePath + '/urls/' + i0 + '/url',
                                            schemaPath: '#/properties/urls/items/properties/url/maxLength',
                                            keyword: 'maxLength',
                                            params: { limit: 8192 },
                                            message: 'must NOT have more than 8192 characters',
                                          },
                                        ];
                                        return false;
                                      } else {
                                        if (func2(data3) < 1) {
                                          validate43.errors = [
                                            {
                                              instancePath: instancePath + '/urls/' + i0 + '/url',
                                              schemaPath: '#/properties/urls/items/properties/url/minLength',
                                              keyword: 'minLength',
                                              params: { limit: 1 },
                                              message: 'must NOT have fewer than 1 characters',
                                            },
                                          ];
                                          return false;
                                        }
                                      }
                                    } else {
                                      validate43.errors = [
                                        {
                                          instancePath: instancePath + '/urls/' + i0 + '/url',
                                          schemaPath: '#/properties/urls/items/properties/url/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                  }
                                  var valid2 = _errs8 === errors;
                                } else {
                                  var valid2 = true;
                                }
                                if (valid2) {
                                  if (data2.request_type !== void 0) {
                                    let data4 = data2.request_type;
                                    const _errs10 = errors;
                                    if (!(
                                      data4 === 'GET' ||
                                      data4 === 'POST' ||
                                      data4 === 'PUT' ||
                                      data4 === 'PATCH' ||
                                      data4 === 'DELETE' ||
                                      data4 === 'HEAD' ||
                                      data4 === 'OPTIONS'
                                    )) {
                                      validate43.errors = [
                                        {
                                          instancePath: instancePath + '/urls/' + i0 + '/request_type',
                                          schemaPath: '#/properties/urls/items/properties/request_type/enum',
                                          keyword: 'enum',
                                          params: {
                                            allowedValues:
                                              schema28.properties.urls.items.properties.request_type.enum,
                                          },
                                          message: 'must be equal to one of the allowed values',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid2 = _errs10 === errors;
                                  } else {
                                    var valid2 = true;
                                  }
                                  if (valid2) {
                                    if (data2.credentials !== void 0) {
                                      let data5 = data2.credentials;
                                      const _errs11 = errors;
                                      if (errors === _errs11) {
                                        if (data5 && typeof data5 == 'object' && !Array.isArray(data5)) {
                                          let missing2;
                                          if (
                                            (data5.login === void 0 && (missing2 = 'login')) ||
                                            (data5.password === void 0 && (missing2 = 'password'))
                                          ) {
                                            validate43.errors = [
                                              {
                                                instancePath: instancePath + '/urls/' + i0 + '/credentials',
                                                schemaPath:
                                                  '#/properties/urls/items/properties/credentials/required',
                                                keyword: 'required',
                                                params: { missingProperty: missing2 },
                                                message: "must have required property '" + missing2 + "'",
                                              },
                                            ];
                                            return false;
                                          } else {
                                            const _errs13 = errors;
                                            for (const key2 in data5) {
                                              if (!(key2 === 'login' || key2 === 'password')) {
                                                validate43.errors = [
                                                  {
                                                    instancePath:
                                                      instancePath + '/urls/' + i0 + '/credentials',
                                                    schemaPath:
                                                      '#/properties/urls/items/properties/credentials/additionalProperties',
                                                    keyword: 'additionalProperties',
                                                    params: { additionalProperty: key2 },
                                                    message: 'must NOT have additional properties',
                                                  },
                                                ];
                                                return false;
                                                break;
                                              }
                                            }
                                            if (_errs13 === errors) {
                                              if (data5.login !== void 0) {
                                                let data6 = data5.login;
                                                const _errs14 = errors;
                                                if (errors === _errs14) {
                                                  if (typeof data6 === 'string') {
                                                    if (func2(data6) > 1024) {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/urls/' +
                                                            i0 +
                                                            '/credentials/login',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/credentials/properties/login/maxLength',
                                                          keyword: 'maxLength',
                                                          params: { limit: 1024 },
                                                          message: 'must NOT have more than 1024 characters',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  } else {
                                                    validate43.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/urls/' + i0 + '/credentials/login',
                                                        schemaPath:
                                                          '#/properties/urls/items/properties/credentials/properties/login/type',
                                                        keyword: 'type',
                                                        params: { type: 'string' },
                                                        message: 'must be string',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                }
                                                var valid3 = _errs14 === errors;
                                              } else {
                                                var valid3 = true;
                                              }
                                              if (valid3) {
                                                if (data5.password !== void 0) {
                                                  let data7 = data5.password;
                                                  const _errs16 = errors;
                                                  if (errors === _errs16) {
                                                    if (typeof data7 === 'string') {
                                                      if (func2(data7) > 1024) {
                                                        validate43.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath +
                                                              '/urls/' +
                                                              i0 +
                                                              '/credentials/password',
                                                            schemaPath:
                                                              '#/properties/urls/items/properties/credentials/properties/password/maxLength',
                                                            keyword: 'maxLength',
                                                            params: { limit: 1024 },
                                                            message:
                                                              'must NOT have more than 1024 characters',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                    } else {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/urls/' +
                                                            i0 +
                                                            '/credentials/password',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/credentials/properties/password/type',
                                                          keyword: 'type',
                                                          params: { type: 'string' },
                                                          message: 'must be string',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  }
                                                  var valid3 = _errs16 === errors;
                                                } else {
                                                  var valid3 = true;
                                                }
                                              }
                                            }
                                          }
                                        } else {
                                          validate43.errors = [
                                            {
                                              instancePath: instancePath + '/urls/' + i0 + '/credentials',
                                              schemaPath:
                                                '#/properties/urls/items/properties/credentials/type',
                                              keyword: 'type',
                                              params: { type: 'object' },
                                              message: 'must be object',
                                            },
                                          ];
                                          return false;
                                        }
                                      }
                                      var valid2 = _errs11 === errors;
                                    } else {
                                      var valid2 = true;
                                    }
                                    if (valid2) {
                                      if (data2.headers !== void 0) {
                                        let data8 = data2.headers;
                                        const _errs18 = errors;
                                        if (errors === _errs18) {
                                          if (data8 && typeof data8 == 'object' && !Array.isArray(data8)) {
                                            if (Object.keys(data8).length > 100) {
                                              validate43.errors = [
                                                {
                                                  instancePath: instancePath + '/urls/' + i0 + '/headers',
                                                  schemaPath:
                                                    '#/properties/urls/items/properties/headers/maxProperties',
                                                  keyword: 'maxProperties',
                                                  params: { limit: 100 },
                                                  message: 'must NOT have more than 100 properties',
                                                },
                                              ];
                                              return false;
                                            } else {
                                              for (const key3 in data8) {
                                                let data9 = data8[key3];
                                                const _errs21 = errors;
                                                if (errors === _errs21) {
                                                  if (typeof data9 === 'string') {
                                                    if (func2(data9) > 65536) {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/urls/' +
                                                            i0 +
                                                            '/headers/' +
                                                            key3.replace(/~/g, '~0').replace(/\//g, '~1'),
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/headers/additionalProperties/maxLength',
                                                          keyword: 'maxLength',
                                                          params: { limit: 65536 },
                                                          message: 'must NOT have more than 65536 characters',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  } else {
                                                    validate43.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath +
                                                          '/urls/' +
                                                          i0 +
                                                          '/headers/' +
                                                          key3.replace(/~/g, '~0').replace(/\//g, '~1'),
                                                        schemaPath:
                                                          '#/properties/urls/items/properties/headers/additionalProperties/type',
                                                        keyword: 'type',
                                                        params: { type: 'string' },
                                                        message: 'must be string',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                }
                                                var valid4 = _errs21 === errors;
                                                if (!valid4) {
                                                  break;
                                                }
                                              }
                                            }
                                          } else {
                                            validate43.errors = [
                                              {
                                                instancePath: instancePath + '/urls/' + i0 + '/headers',
                                                schemaPath: '#/properties/urls/items/properties/headers/type',
                                                keyword: 'type',
                                                params: { type: 'object' },
                                                message: 'must be object',
                                              },
                                            ];
                                            return false;
                                          }
                                        }
                                        var valid2 = _errs18 === errors;
                                      } else {
                                        var valid2 = true;
                                      }
                                      if (valid2) {
                                        if (data2.request_params !== void 0) {
                                          let data10 = data2.request_params;
                                          const _errs23 = errors;
                                          if (errors === _errs23) {
                                            if (
                                              data10 &&
                                              typeof data10 == 'object' &&
                                              !Array.isArray(data10)
                                            ) {
                                              if (Object.keys(data10).length > 1e3) {
                                                validate43.errors = [
                                                  {
                                                    instancePath:
                                                      instancePath + '/urls/' + i0 + '/request_params',
                                                    schemaPath:
                                                      '#/properties/urls/items/properties/request_params/maxProperties',
                                                    keyword: 'maxProperties',
                                                    params: { limit: 1e3 },
                                                    message: 'must NOT have more than 1000 properties',
                                                  },
                                                ];
                                                return false;
                                              } else {
                                                for (const key4 in data10) {
                                                  let data11 = data10[key4];
                                                  const _errs26 = errors;
                                                  if (errors === _errs26) {
                                                    if (typeof data11 === 'string') {
                                                      if (func2(data11) > 65536) {
                                                        validate43.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath +
                                                              '/urls/' +
                                                              i0 +
                                                              '/request_params/' +
                                                              key4.replace(/~/g, '~0').replace(/\//g, '~1'),
                                                            schemaPath:
                                                              '#/properties/urls/items/properties/request_params/additionalProperties/maxLength',
                                                            keyword: 'maxLength',
                                                            params: { limit: 65536 },
                                                            message:
                                                              'must NOT have more than 65536 characters',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                    } else {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/urls/' +
                                                            i0 +
                                                            '/request_params/' +
                                                            key4.replace(/~/g, '~0').replace(/\//g, '~1'),
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/request_params/additionalProperties/type',
                                                          keyword: 'type',
                                                          params: { type: 'string' },
                                                          message: 'must be string',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  }
                                                  var valid5 = _errs26 === errors;
                                                  if (!valid5) {
                                                    break;
                                                  }
                                                }
                                              }
                                            } else {
                                              validate43.errors = [
                                                {
                                                  instancePath:
                                                    instancePath + '/urls/' + i0 + '/request_params',
                                                  schemaPath:
                                                    '#/properties/urls/items/properties/request_params/type',
                                                  keyword: 'type',
                                                  params: { type: 'object' },
                                                  message: 'must be object',
                                                },
                                              ];
                                              return false;
                                            }
                                          }
                                          var valid2 = _errs23 === errors;
                                        } else {
                                          var valid2 = true;
                                        }
                                        if (valid2) {
                                          if (data2.raw_post_body !== void 0) {
                                            let data12 = data2.raw_post_body;
                                            const _errs28 = errors;
                                            if (errors === _errs28) {
                                              if (typeof data12 === 'string') {
                                                if (func2(data12) > 1048576) {
                                                  validate43.errors = [
                                                    {
                                                      instancePath:
                                                        instancePath + '/urls/' + i0 + '/raw_post_body',
                                                      schemaPath:
                                                        '#/properties/urls/items/properties/raw_post_body/maxLength',
                                                      keyword: 'maxLength',
                                                      params: { limit: 1048576 },
                                                      message: 'must NOT have more than 1048576 characters',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                              } else {
                                                validate43.errors = [
                                                  {
                                                    instancePath:
                                                      instancePath + '/urls/' + i0 + '/raw_post_body',
                                                    schemaPath:
                                                      '#/properties/urls/items/properties/raw_post_body/type',
                                                    keyword: 'type',
                                                    params: { type: 'string' },
                                                    message: 'must be string',
                                                  },
                                                ];
                                                return false;
                                              }
                                            }
                                            var valid2 = _errs28 === errors;
                                          } else {
                                            var valid2 = true;
                                          }
                                          if (valid2) {
                                            if (data2.payload_file_url !== void 0) {
                                              let data13 = data2.payload_file_url;
                                              const _errs30 = errors;
                                              if (errors === _errs30) {
                                                if (typeof data13 === 'string') {
                                                  if (func2(data13) > 8192) {
                                                    validate43.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/urls/' + i0 + '/payload_file_url',
                                                        schemaPath:
                                                          '#/properties/urls/items/properties/payload_file_url/maxLength',
                                                        keyword: 'maxLength',
                                                        params: { limit: 8192 },
                                                        message: 'must NOT have more than 8192 characters',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                } else {
                                                  validate43.errors = [
                                                    {
                                                      instancePath:
                                                        instancePath + '/urls/' + i0 + '/payload_file_url',
                                                      schemaPath:
                                                        '#/properties/urls/items/properties/payload_file_url/type',
                                                      keyword: 'type',
                                                      params: { type: 'string' },
                                                      message: 'must be string',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                              }
                                              var valid2 = _errs30 === errors;
                                            } else {
                                              var valid2 = true;
                                            }
                                            if (valid2) {
                                              if (data2.payload_file !== void 0) {
                                                let data14 = data2.payload_file;
                                                const _errs32 = errors;
                                                if (errors === _errs32) {
                                                  if (typeof data14 === 'string') {
                                                    if (!pattern1.test(data14)) {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath + '/urls/' + i0 + '/payload_file',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/payload_file/pattern',
                                                          keyword: 'pattern',
                                                          params: { pattern: '^[0-9a-f]{64}$' },
                                                          message: 'must match pattern "^[0-9a-f]{64}$"',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  } else {
                                                    validate43.errors = [
                                                      {
                                                        instancePath:
                                                          instancePath + '/urls/' + i0 + '/payload_file',
                                                        schemaPath:
                                                          '#/properties/urls/items/properties/payload_file/type',
                                                        keyword: 'type',
                                                        params: { type: 'string' },
                                                        message: 'must be string',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                }
                                                var valid2 = _errs32 === errors;
                                              } else {
                                                var valid2 = true;
                                              }
                                              if (valid2) {
                                                if (data2.expect !== void 0) {
                                                  let data15 = data2.expect;
                                                  const _errs34 = errors;
                                                  if (errors === _errs34) {
                                                    if (
                                                      data15 &&
                                                      typeof data15 == 'object' &&
                                                      !Array.isArray(data15)
                                                    ) {
                                                      if (Object.keys(data15).length < 1) {
                                                        validate43.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath + '/urls/' + i0 + '/expect',
                                                            schemaPath:
                                                              '#/properties/urls/items/properties/expect/minProperties',
                                                            keyword: 'minProperties',
                                                            params: { limit: 1 },
                                                            message: 'must NOT have fewer than 1 properties',
                                                          },
                                                        ];
                                                        return false;
                                                      } else {
                                                        const _errs36 = errors;
                                                        for (const key5 in data15) {
                                                          if (!(
                                                            key5 === 'status' ||
                                                            key5 === 'headers' ||
                                                            key5 === 'body' ||
                                                            key5 === 'json'
                                                          )) {
                                                            validate43.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath + '/urls/' + i0 + '/expect',
                                                                schemaPath:
                                                                  '#/properties/urls/items/properties/expect/additionalProperties',
                                                                keyword: 'additionalProperties',
                                                                params: { additionalProperty: key5 },
                                                                message:
                                                                  'must NOT have additional properties',
                                                              },
                                                            ];
                                                            return false;
                                                            break;
                                                          }
                                                        }
                                                        if (_errs36 === errors) {
                                                          if (data15.status !== void 0) {
                                                            let data16 = data15.status;
                                                            const _errs37 = errors;
                                                            if (errors === _errs37) {
                                                              if (Array.isArray(data16)) {
                                                                if (data16.length > 100) {
                                                                  validate43.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath +
                                                                        '/urls/' +
                                                                        i0 +
                                                                        '/expect/status',
                                                                      schemaPath:
                                                                        '#/properties/urls/items/properties/expect/properties/status/maxItems',
                                                                      keyword: 'maxItems',
                                                                      params: { limit: 100 },
                                                                      message:
                                                                        'must NOT have more than 100 items',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                } else {
                                                                  if (data16.length < 1) {
                                                                    validate43.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/urls/' +
                                                                          i0 +
                                                                          '/expect/status',
                                                                        schemaPath:
                                                                          '#/properties/urls/items/properties/expect/properties/status/minItems',
                                                                        keyword: 'minItems',
                                                                        params: { limit: 1 },
                                                                        message:
                                                                          'must NOT have fewer than 1 items',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  } else {
                                                                    var valid7 = true;
                                                                    const len1 = data16.length;
                                                                    for (let i1 = 0; i1 < len1; i1++) {
                                                                      let data17 = data16[i1];
                                                                      const _errs39 = errors;
                                                                      if (
                                                                        !(
                                                                          typeof data17 == 'number' &&
                                                                          !(data17 % 1) &&
                                                                          !isNaN(data17) &&
                                                                          isFinite(data17)
                                                                        ) &&
                                                                        typeof data17 !== 'string'
                                                                      ) {
                                                                        validate43.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/urls/' +
                                                                              i0 +
                                                                              '/expect/status/' +
                                                                              i1,
                                                                            schemaPath:
                                                                              '#/properties/urls/items/properties/expect/properties/status/items/type',
                                                                            keyword: 'type',
                                                                            params: {
                                                                              type: schema28.properties.urls
                                                                                .items.properties.expect
                                                                                .properties.status.items.type,
                                                                            },
                                                                            message: 'must be integer,string',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                      if (errors === _errs39) {
                                                                        if (
                                                                          typeof data17 == 'number' &&
                                                                          isFinite(data17)
                                                                        ) {
                                                                          if (data17 > 599 || isNaN(data17)) {
                                                                            validate43.errors = [
                                                                              {
                                                                                instancePath:
                                                                                  instancePath +
                                                                                  '/urls/' +
                                                                                  i0 +
                                                                                  '/expect/status/' +
                                                                                  i1,
                                                                                schemaPath:
                                                                                  '#/properties/urls/items/properties/expect/properties/status/items/maximum',
                                                                                keyword: 'maximum',
                                                                                params: {
                                                                                  comparison: '<=',
                                                                                  limit: 599,
                                                                                },
                                                                                message: 'must be <= 599',
                                                                              },
                                                                            ];
                                                                            return false;
                                                                          } else {
                                                                            if (
                                                                              data17 < 200 ||
                                                                              isNaN(data17)
                                                                            ) {
                                                                              validate43.errors = [
                                                                                {
                                                                                  instancePath:
                                                                                    instancePath +
                                                                                    '/urls/' +
                                                                                    i0 +
                                                                                    '/expect/status/' +
                                                                                    i1,
                                                                                  schemaPath:
                                                                                    '#/properties/urls/items/properties/expect/properties/status/items/minimum',
                                                                                  keyword: 'minimum',
                                                                                  params: {
                                                                                    comparison: '>=',
                                                                                    limit: 200,
                                                                                  },
                                                                                  message: 'must be >= 200',
                                                                                },
                                                                              ];
                                                                              return false;
                                                                            }
                                                                          }
                                                                        }
                                                                        if (errors === _errs39) {
                                                                          if (typeof data17 === 'string') {
                                                                            if (!pattern3.test(data17)) {
                                                                              validate43.errors = [
                                                                                {
                                                                                  instancePath:
                                                                                    instancePath +
                                                                                    '/urls/' +
                                                                                    i0 +
                                                                                    '/expect/status/' +
                                                                                    i1,
                                                                                  schemaPath:
                                                                                    '#/properties/urls/items/properties/expect/properties/status/items/pattern',
                                                                                  keyword: 'pattern',
                                                                                  params: {
                                                                                    pattern: '^[2-5]xx$',
                                                                                  },
                                                                                  message:
                                                                                    'must match pattern "^[2-5]xx$"',
                                                                                },
                                                                              ];
                                                                              return false;
                                                                            }
                                                                          }
                                                                        }
                                                                      }
                                                                      var valid7 = _errs39 === errors;
                                                                      if (!valid7) {
                                                                        break;
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                              } else {
                                                                validate43.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath +
                                                                      '/urls/' +
                                                                      i0 +
                                                                      '/expect/status',
                                                                    schemaPath:
                                                                      '#/properties/urls/items/properties/expect/properties/status/type',
                                                                    keyword: 'type',
                                                                    params: { type: 'array' },
                                                                    message: 'must be array',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                            }
                                                            var valid6 = _errs37 === errors;
                                                          } else {
                                                            var valid6 = true;
                                                          }
                                                          if (valid6) {
                                                            if (data15.headers !== void 0) {
                                                              let data18 = data15.headers;
                                                              const _errs41 = errors;
                                                              if (errors === _errs41) {
                                                                if (
                                                                  data18 &&
                                                                  typeof data18 == 'object' &&
                                                                  !Array.isArray(data18)
                                                                ) {
                                                                  if (Object.keys(data18).length > 100) {
                                                                    validate43.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/urls/' +
                                                                          i0 +
                                                                          '/expect/headers',
                                                                        schemaPath:
                                                                          '#/properties/urls/items/properties/expect/properties/headers/maxProperties',
                                                                        keyword: 'maxProperties',
                                                                        params: { limit: 100 },
                                                                        message:
                                                                          'must NOT have more than 100 properties',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  } else {
                                                                    for (const key6 in data18) {
                                                                      let data19 = data18[key6];
                                                                      const _errs44 = errors;
                                                                      if (errors === _errs44) {
                                                                        if (typeof data19 === 'string') {
                                                                          if (func2(data19) > 65536) {
                                                                            validate43.errors = [
                                                                              {
                                                                                instancePath:
                                                                                  instancePath +
                                                                                  '/urls/' +
                                                                                  i0 +
                                                                                  '/expect/headers/' +
                                                                                  key6
                                                                                    .replace(/~/g, '~0')
                                                                                    .replace(/\//g, '~1'),
                                                                                schemaPath:
                                                                                  '#/properties/urls/items/properties/expect/properties/headers/additionalProperties/maxLength',
                                                                                keyword: 'maxLength',
                                                                                params: { limit: 65536 },
                                                                                message:
                                                                                  'must NOT have more than 65536 characters',
                                                                              },
                                                                            ];
                                                                            return false;
                                                                          }
                                                                        } else {
                                                                          validate43.errors = [
                                                                            {
                                                                              instancePath:
                                                                                instancePath +
                                                                                '/urls/' +
                                                                                i0 +
                                                                                '/expect/headers/' +
                                                                                key6
                                                                                  .replace(/~/g, '~0')
                                                                                  .replace(/\//g, '~1'),
                                                                              schemaPath:
                                                                                '#/properties/urls/items/properties/expect/properties/headers/additionalProperties/type',
                                                                              keyword: 'type',
                                                                              params: { type: 'string' },
                                                                              message: 'must be string',
                                                                            },
                                                                          ];
                                                                          return false;
                                                                        }
                                                                      }
                                                                      var valid8 = _errs44 === errors;
                                                                      if (!valid8) {
                                                                        break;
                                                                      }
                                                                    }
                                                                  }
                                                                } else {
                                                                  validate43.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath +
                                                                        '/urls/' +
                                                                        i0 +
                                                                        '/expect/headers',
                                                                      schemaPath:
                                                                        '#/properties/urls/items/properties/expect/properties/headers/type',
                                                                      keyword: 'type',
                                                                      params: { type: 'object' },
                                                                      message: 'must be object',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                              }
                                                              var valid6 = _errs41 === errors;
                                                            } else {
                                                              var valid6 = true;
                                                            }
                                                            if (valid6) {
                                                              if (data15.body !== void 0) {
                                                                let data20 = data15.body;
                                                                const _errs46 = errors;
                                                                if (errors === _errs46) {
                                                                  if (typeof data20 === 'string') {
                                                                    if (func2(data20) > 65536) {
                                                                      validate43.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/urls/' +
                                                                            i0 +
                                                                            '/expect/body',
                                                                          schemaPath:
                                                                            '#/properties/urls/items/properties/expect/properties/body/maxLength',
                                                                          keyword: 'maxLength',
                                                                          params: { limit: 65536 },
                                                                          message:
                                                                            'must NOT have more than 65536 characters',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    } else {
                                                                      if (func2(data20) < 1) {
                                                                        validate43.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/urls/' +
                                                                              i0 +
                                                                              '/expect/body',
                                                                            schemaPath:
                                                                              '#/properties/urls/items/properties/expect/properties/body/minLength',
                                                                            keyword: 'minLength',
                                                                            params: { limit: 1 },
                                                                            message:
                                                                              'must NOT have fewer than 1 characters',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                    }
                                                                  } else {
                                                                    validate43.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/urls/' +
                                                                          i0 +
                                                                          '/expect/body',
                                                                        schemaPath:
                                                                          '#/properties/urls/items/properties/expect/properties/body/type',
                                                                        keyword: 'type',
                                                                        params: { type: 'string' },
                                                                        message: 'must be string',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                }
                                                                var valid6 = _errs46 === errors;
                                                              } else {
                                                                var valid6 = true;
                                                              }
                                                              if (valid6) {
                                                                if (data15.json !== void 0) {
                                                                  let data21 = data15.json;
                                                                  const _errs48 = errors;
                                                                  if (errors === _errs48) {
                                                                    if (
                                                                      data21 &&
                                                                      typeof data21 == 'object' &&
                                                                      !Array.isArray(data21)
                                                                    ) {
                                                                      if (Object.keys(data21).length > 100) {
                                                                        validate43.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/urls/' +
                                                                              i0 +
                                                                              '/expect/json',
                                                                            schemaPath:
                                                                              '#/properties/urls/items/properties/expect/properties/json/maxProperties',
                                                                            keyword: 'maxProperties',
                                                                            params: { limit: 100 },
                                                                            message:
                                                                              'must NOT have more than 100 properties',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      } else {
                                                                        for (const key7 in data21) {
                                                                          let data22 = data21[key7];
                                                                          const _errs51 = errors;
                                                                          if (
                                                                            typeof data22 !== 'string' &&
                                                                            !(
                                                                              typeof data22 == 'number' &&
                                                                              isFinite(data22)
                                                                            ) &&
                                                                            typeof data22 !== 'boolean' &&
                                                                            data22 !== null
                                                                          ) {
                                                                            validate43.errors = [
                                                                              {
                                                                                instancePath:
                                                                                  instancePath +
                                                                                  '/urls/' +
                                                                                  i0 +
                                                                                  '/expect/json/' +
                                                                                  key7
                                                                                    .replace(/~/g, '~0')
                                                                                    .replace(/\//g, '~1'),
                                                                                schemaPath:
                                                                                  '#/properties/urls/items/properties/expect/properties/json/additionalProperties/type',
                                                                                keyword: 'type',
                                                                                params: {
                                                                                  type: schema28.properties
                                                                                    .urls.items.properties
                                                                                    .expect.properties.json
                                                                                    .additionalProperties
                                                                                    .type,
                                                                                },
                                                                                message:
                                                                                  'must be string,number,boolean,null',
                                                                              },
                                                                            ];
                                                                            return false;
                                                                          }
                                                                          if (errors === _errs51) {
                                                                            if (typeof data22 === 'string') {
                                                                              if (func2(data22) > 65536) {
                                                                                validate43.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/urls/' +
                                                                                      i0 +
                                                                                      '/expect/json/' +
                                                                                      key7
                                                                                        .replace(/~/g, '~0')
                                                                                        .replace(/\//g, '~1'),
                                                                                    schemaPath:
                                                                                      '#/properties/urls/items/properties/expect/properties/json/additionalProperties/maxLength',
                                                                                    keyword: 'maxLength',
                                                                                    params: { limit: 65536 },
                                                                                    message:
                                                                                      'must NOT have more than 65536 characters',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                            }
                                                                          }
                                                                          var valid9 = _errs51 === errors;
                                                                          if (!valid9) {
                                                                            break;
                                                                          }
                                                                        }
                                                                      }
                                                                    } else {
                                                                      validate43.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/urls/' +
                                                                            i0 +
                                                                            '/expect/json',
                                                                          schemaPath:
                                                                            '#/properties/urls/items/properties/expect/properties/json/type',
                                                                          keyword: 'type',
                                                                          params: { type: 'object' },
                                                                          message: 'must be object',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                  }
                                                                  var valid6 = _errs48 === errors;
                                                                } else {
                                                                  var valid6 = true;
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    } else {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath + '/urls/' + i0 + '/expect',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/expect/type',
                                                          keyword: 'type',
                                                          params: { type: 'object' },
                                                          message: 'must be object',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  }
                                                  var valid2 = _errs34 === errors;
                                                } else {
                                                  var valid2 = true;
                                                }
                                                if (valid2) {
                                                  if (data2.raw_post_body_json !== void 0) {
                                                    const _errs53 = errors;
                                                    if (typeof data2.raw_post_body_json !== 'boolean') {
                                                      validate43.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath +
                                                            '/urls/' +
                                                            i0 +
                                                            '/raw_post_body_json',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/raw_post_body_json/type',
                                                          keyword: 'type',
                                                          params: { type: 'boolean' },
                                                          message: 'must be boolean',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                    var valid2 = _errs53 === errors;
                                                  } else {
                                                    var valid2 = true;
                                                  }
                                                  if (valid2) {
                                                    if (data2.delay !== void 0) {
                                                      let data24 = data2.delay;
                                                      const _errs55 = errors;
                                                      const _errs56 = errors;
                                                      let valid10 = false;
                                                      let passing0 = null;
                                                      const _errs57 = errors;
                                                      if (!(
                                                        typeof data24 == 'number' &&
                                                        !(data24 % 1) &&
                                                        !isNaN(data24) &&
                                                        isFinite(data24)
                                                      )) {
                                                        const err0 = {
                                                          instancePath:
                                                            instancePath + '/urls/' + i0 + '/delay',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/delay/oneOf/0/type',
                                                          keyword: 'type',
                                                          params: { type: 'integer' },
                                                          message: 'must be integer',
                                                        };
                                                        if (vErrors === null) {
                                                          vErrors = [err0];
                                                        } else {
                                                          vErrors.push(err0);
                                                        }
                                                        errors++;
                                                      }
                                                      if (errors === _errs57) {
                                                        if (typeof data24 == 'number' && isFinite(data24)) {
                                                          if (data24 > 6e5 || isNaN(data24)) {
                                                            const err1 = {
                                                              instancePath:
                                                                instancePath + '/urls/' + i0 + '/delay',
                                                              schemaPath:
                                                                '#/properties/urls/items/properties/delay/oneOf/0/maximum',
                                                              keyword: 'maximum',
                                                              params: { comparison: '<=', limit: 6e5 },
                                                              message: 'must be <= 600000',
                                                            };
                                                            if (vErrors === null) {
                                                              vErrors = [err1];
                                                            } else {
                                                              vErrors.push(err1);
                                                            }
                                                            errors++;
                                                          } else {
                                                            if (data24 < 0 || isNaN(data24)) {
                                                              const err2 = {
                                                                instancePath:
                                                                  instancePath + '/urls/' + i0 + '/delay',
                                                                schemaPath:
                                                                  '#/properties/urls/items/properties/delay/oneOf/0/minimum',
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
                                                        }
                                                      }
                                                      var _valid0 = _errs57 === errors;
                                                      if (_valid0) {
                                                        valid10 = true;
                                                        passing0 = 0;
                                                      }
                                                      const _errs59 = errors;
                                                      if (errors === _errs59) {
                                                        if (Array.isArray(data24)) {
                                                          if (data24.length > 2) {
                                                            const err3 = {
                                                              instancePath:
                                                                instancePath + '/urls/' + i0 + '/delay',
                                                              schemaPath:
                                                                '#/properties/urls/items/properties/delay/oneOf/1/maxItems',
                                                              keyword: 'maxItems',
                                                              params: { limit: 2 },
                                                              message: 'must NOT have more than 2 items',
                                                            };
                                                            if (vErrors === null) {
                                                              vErrors = [err3];
                                                            } else {
                                                              vErrors.push(err3);
                                                            }
                                                            errors++;
                                                          } else {
                                                            if (data24.length < 2) {
                                                              const err4 = {
                                                                instancePath:
                                                                  instancePath + '/urls/' + i0 + '/delay',
                                                                schemaPath:
                                                                  '#/properties/urls/items/properties/delay/oneOf/1/minItems',
                                                                keyword: 'minItems',
                                                                params: { limit: 2 },
                                                                message: 'must NOT have fewer than 2 items',
                                                              };
                                                              if (vErrors === null) {
                                                                vErrors = [err4];
                                                              } else {
                                                                vErrors.push(err4);
                                                              }
                                                              errors++;
                                                            } else {
                                                              var valid11 = true;
                                                              const len2 = data24.length;
                                                              for (let i2 = 0; i2 < len2; i2++) {
                                                                let data25 = data24[i2];
                                                                const _errs61 = errors;
                                                                if (!(
                                                                  typeof data25 == 'number' &&
                                                                  !(data25 % 1) &&
                                                                  !isNaN(data25) &&
                                                                  isFinite(data25)
                                                                )) {
                                                                  const err5 = {
                                                                    instancePath:
                                                                      instancePath +
                                                                      '/urls/' +
                                                                      i0 +
                                                                      '/delay/' +
                                                                      i2,
                                                                    schemaPath:
                                                                      '#/properties/urls/items/properties/delay/oneOf/1/items/type',
                                                                    keyword: 'type',
                                                                    params: { type: 'integer' },
                                                                    message: 'must be integer',
                                                                  };
                                                                  if (vErrors === null) {
                                                                    vErrors = [err5];
                                                                  } else {
                                                                    vErrors.push(err5);
                                                                  }
                                                                  errors++;
                                                                }
                                                                if (errors === _errs61) {
                                                                  if (
                                                                    typeof data25 == 'number' &&
                                                                    isFinite(data25)
                                                                  ) {
                                                                    if (data25 > 6e5 || isNaN(data25)) {
                                                                      const err6 = {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/urls/' +
                                                                          i0 +
                                                                          '/delay/' +
                                                                          i2,
                                                                        schemaPath:
                                                                          '#/properties/urls/items/properties/delay/oneOf/1/items/maximum',
                                                                        keyword: 'maximum',
                                                                        params: {
                                                                          comparison: '<=',
                                                                          limit: 6e5,
                                                                        },
                                                                        message: 'must be <= 600000',
                                                                      };
                                                                      if (vErrors === null) {
                                                                        vErrors = [err6];
                                                                      } else {
                                                                        vErrors.push(err6);
                                                                      }
                                                                      errors++;
                                                                    } else {
                                                                      if (data25 < 0 || isNaN(data25)) {
                                                                        const err7 = {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/urls/' +
                                                                            i0 +
                                                                            '/delay/' +
                                                                            i2,
                                                                          schemaPath:
                                                                            '#/properties/urls/items/properties/delay/oneOf/1/items/minimum',
                                                                          keyword: 'minimum',
                                                                          params: {
                                                                            comparison: '>=',
                                                                            limit: 0,
                                                                          },
                                                                          message: 'must be >= 0',
                                                                        };
                                                                        if (vErrors === null) {
                                                                          vErrors = [err7];
                                                                        } else {
                                                                          vErrors.push(err7);
                                                                        }
                                                                        errors++;
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                                var valid11 = _errs61 === errors;
                                                                if (!valid11) {
                                                                  break;
                                                                }
                                                              }
                                                            }
                                                          }
                                                        } else {
                                                          const err8 = {
                                                            instancePath:
                                                              instancePath + '/urls/' + i0 + '/delay',
                                                            schemaPath:
                                                              '#/properties/urls/items/properties/delay/oneOf/1/type',
                                                            keyword: 'type',
                                                            params: { type: 'array' },
                                                            message: 'must be array',
                                                          };
                                                          if (vErrors === null) {
                                                            vErrors = [err8];
                                                          } else {
                                                            vErrors.push(err8);
                                                          }
                                                          errors++;
                                                        }
                                                      }
                                                      var _valid0 = _errs59 === errors;
                                                      if (_valid0 && valid10) {
                                                        valid10 = false;
                                                        passing0 = [passing0, 1];
                                                      } else {
                                                        if (_valid0) {
                                                          valid10 = true;
                                                          passing0 = 1;
                                                        }
                                                      }
                                                      if (!valid10) {
                                                        const err9 = {
                                                          instancePath:
                                                            instancePath + '/urls/' + i0 + '/delay',
                                                          schemaPath:
                                                            '#/properties/urls/items/properties/delay/oneOf',
                                                          keyword: 'oneOf',
                                                          params: { passingSchemas: passing0 },
                                                          message: 'must match exactly one schema in oneOf',
                                                        };
                                                        if (vErrors === null) {
                                                          vErrors = [err9];
                                                        } else {
                                                          vErrors.push(err9);
                                                        }
                                                        errors++;
                                                        validate43.errors = vErrors;
                                                        return false;
                                                      } else {
                                                        errors = _errs56;
                                                        if (vErrors !== null) {
                                                          if (_errs56) {
                                                            vErrors.length = _errs56;
                                                          } else {
                                                            vErrors = null;
                                                          }
                                                        }
                                                      }
                                                      var valid2 = _errs55 === errors;
                                                    } else {
                                                      var valid2 = true;
                                                    }
                                                    if (valid2) {
                                                      if (data2.variables !== void 0) {
                                                        let data26 = data2.variables;
                                                        const _errs63 = errors;
                                                        if (errors === _errs63) {
                                                          if (Array.isArray(data26)) {
                                                            if (data26.length > 50) {
                                                              validate43.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath +
                                                                    '/urls/' +
                                                                    i0 +
                                                                    '/variables',
                                                                  schemaPath:
                                                                    '#/properties/urls/items/properties/variables/maxItems',
                                                                  keyword: 'maxItems',
                                                                  params: { limit: 50 },
                                                                  message: 'must NOT have more than 50 items',
                                                                },
                                                              ];
                                                              return false;
                                                            } else {
                                                              var valid12 = true;
                                                              const len3 = data26.length;
                                                              for (let i3 = 0; i3 < len3; i3++) {
                                                                let data27 = data26[i3];
                                                                const _errs65 = errors;
                                                                if (errors === _errs65) {
                                                                  if (
                                                                    data27 &&
                                                                    typeof data27 == 'object' &&
                                                                    !Array.isArray(data27)
                                                                  ) {
                                                                    let missing3;
                                                                    if (
                                                                      (data27.name === void 0 &&
                                                                        (missing3 = 'name')) ||
                                                                      (data27.property === void 0 &&
                                                                        (missing3 = 'property')) ||
                                                                      (data27.source === void 0 &&
                                                                        (missing3 = 'source'))
                                                                    ) {
                                                                      validate43.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/urls/' +
                                                                            i0 +
                                                                            '/variables/' +
                                                                            i3,
                                                                          schemaPath:
                                                                            '#/properties/urls/items/properties/variables/items/required',
                                                                          keyword: 'required',
                                                                          params: {
                                                                            missingProperty: missing3,
                                                                          },
                                                                          message:
                                                                            "must have required property '" +
                                                                            missing3 +
                                                                            "'",
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    } else {
                                                                      const _errs67 = errors;
                                                                      for (const key8 in data27) {
                                                                        if (!(
                                                                          key8 === 'name' ||
                                                                          key8 === 'property' ||
                                                                          key8 === 'source'
                                                                        )) {
                                                                          validate43.errors = [
                                                                            {
                                                                              instancePath:
                                                                                instancePath +
                                                                                '/urls/' +
                                                                                i0 +
                                                                                '/variables/' +
                                                                                i3,
                                                                              schemaPath:
                                                                                '#/properties/urls/items/properties/variables/items/additionalProperties',
                                                                              keyword: 'additionalProperties',
                                                                              params: {
                                                                                additionalProperty: key8,
                                                                              },
                                                                              message:
                                                                                'must NOT have additional properties',
                                                                            },
                                                                          ];
                                                                          return false;
                                                                          break;
                                                                        }
                                                                      }
                                                                      if (_errs67 === errors) {
                                                                        if (data27.name !== void 0) {
                                                                          let data28 = data27.name;
                                                                          const _errs68 = errors;
                                                                          if (errors === _errs68) {
                                                                            if (typeof data28 === 'string') {
                                                                              if (!pattern4.test(data28)) {
                                                                                validate43.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/urls/' +
                                                                                      i0 +
                                                                                      '/variables/' +
                                                                                      i3 +
                                                                                      '/name',
                                                                                    schemaPath:
                                                                                      '#/properties/urls/items/properties/variables/items/properties/name/pattern',
                                                                                    keyword: 'pattern',
                                                                                    params: {
                                                                                      pattern:
                                                                                        '^[A-Za-z_][A-Za-z0-9_-]{0,63}$',
                                                                                    },
                                                                                    message:
                                                                                      'must match pattern "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                            } else {
                                                                              validate43.errors = [
                                                                                {
                                                                                  instancePath:
                                                                                    instancePath +
                                                                                    '/urls/' +
                                                                                    i0 +
                                                                                    '/variables/' +
                                                                                    i3 +
                                                                                    '/name',
                                                                                  schemaPath:
                                                                                    '#/properties/urls/items/properties/variables/items/properties/name/type',
                                                                                  keyword: 'type',
                                                                                  params: { type: 'string' },
                                                                                  message: 'must be string',
                                                                                },
                                                                              ];
                                                                              return false;
                                                                            }
                                                                          }
                                                                          var valid13 = _errs68 === errors;
                                                                        } else {
                                                                          var valid13 = true;
                                                                        }
                                                                        if (valid13) {
                                                                          if (data27.property !== void 0) {
                                                                            let data29 = data27.property;
                                                                            const _errs70 = errors;
                                                                            if (errors === _errs70) {
                                                                              if (
                                                                                typeof data29 === 'string'
                                                                              ) {
                                                                                if (func2(data29) > 200) {
                                                                                  validate43.errors = [
                                                                                    {
                                                                                      instancePath:
                                                                                        instancePath +
                                                                                        '/urls/' +
                                                                                        i0 +
                                                                                        '/variables/' +
                                                                                        i3 +
                                                                                        '/property',
                                                                                      schemaPath:
                                                                                        '#/properties/urls/items/properties/variables/items/properties/property/maxLength',
                                                                                      keyword: 'maxLength',
                                                                                      params: { limit: 200 },
                                                                                      message:
                                                                                        'must NOT have more than 200 characters',
                                                                                    },
                                                                                  ];
                                                                                  return false;
                                                                                }
                                                                              } else {
                                                                                validate43.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/urls/' +
                                                                                      i0 +
                                                                                      '/variables/' +
                                                                                      i3 +
                                                                                      '/property',
                                                                                    schemaPath:
                                                                                      '#/properties/urls/items/properties/variables/items/properties/property/type',
                                                                                    keyword: 'type',
                                                                                    params: {
                                                                                      type: 'string',
                                                                                    },
                                                                                    message: 'must be string',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                            }
                                                                            var valid13 = _errs70 === errors;
                                                                          } else {
                                                                            var valid13 = true;
                                                                          }
                                                                          if (valid13) {
                                                                            if (data27.source !== void 0) {
                                                                              let data30 = data27.source;
                                                                              const _errs72 = errors;
                                                                              if (!(
                                                                                data30 === 'header' ||
                                                                                data30 === 'cookie' ||
                                                                                data30 === 'json' ||
                                                                                data30 === 'body'
                                                                              )) {
                                                                                validate43.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/urls/' +
                                                                                      i0 +
                                                                                      '/variables/' +
                                                                                      i3 +
                                                                                      '/source',
                                                                                    schemaPath:
                                                                                      '#/properties/urls/items/properties/variables/items/properties/source/enum',
                                                                                    keyword: 'enum',
                                                                                    params: {
                                                                                      allowedValues:
                                                                                        schema28.properties
                                                                                          .urls.items
                                                                                          .properties
                                                                                          .variables.items
                                                                                          .properties.source
                                                                                          .enum,
                                                                                    },
                                                                                    message:
                                                                                      'must be equal to one of the allowed values',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                              var valid13 =
                                                                                _errs72 === errors;
                                                                            } else {
                                                                              var valid13 = true;
                                                                            }
                                                                          }
                                                                        }
                                                                      }
                                                                    }
                                                                  } else {
                                                                    validate43.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/urls/' +
                                                                          i0 +
                                                                          '/variables/' +
                                                                          i3,
                                                                        schemaPath:
                                                                          '#/properties/urls/items/properties/variables/items/type',
                                                                        keyword: 'type',
                                                                        params: { type: 'object' },
                                                                        message: 'must be object',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                }
                                                                var valid12 = _errs65 === errors;
                                                                if (!valid12) {
                                                                  break;
                                                                }
                                                              }
                                                            }
                                                          } else {
                                                            validate43.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath + '/urls/' + i0 + '/variables',
                                                                schemaPath:
                                                                  '#/properties/urls/items/properties/variables/type',
                                                                keyword: 'type',
                                                                params: { type: 'array' },
                                                                message: 'must be array',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                        }
                                                        var valid2 = _errs63 === errors;
                                                      } else {
                                                        var valid2 = true;
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          } else {
                            validate43.errors = [
                              {
                                instancePath: instancePath + '/urls/' + i0,
                                schemaPath: '#/properties/urls/items/type',
                                keyword: 'type',
                                params: { type: 'object' },
                                message: 'must be object',
                              },
                            ];
                            return false;
                          }
                        }
                        var valid1 = _errs5 === errors;
                        if (!valid1) {
                          break;
                        }
                      }
                    }
                  }
                } else {
                  validate43.errors = [
                    {
                      instancePath: instancePath + '/urls',
                      schemaPath: '#/properties/urls/type',
                      keyword: 'type',
                      params: { type: 'array' },
                      message: 'must be array',
                    },
                  ];
                  return false;
                }
              }
              var valid0 = _errs3 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.duration !== void 0) {
                let data31 = data.duration;
                const _errs73 = errors;
                if (!(typeof data31 == 'number' && !(data31 % 1) && !isNaN(data31) && isFinite(data31))) {
                  validate43.errors = [
                    {
                      instancePath: instancePath + '/duration',
                      schemaPath: '#/properties/duration/type',
                      keyword: 'type',
                      params: { type: 'integer' },
                      message: 'must be integer',
                    },
                  ];
                  return false;
                }
                if (errors === _errs73) {
                  if (typeof data31 == 'number' && isFinite(data31)) {
                    if (data31 > 86400 || isNaN(data31)) {
                      validate43.errors = [
                        {
                          instancePath: instancePath + '/duration',
                          schemaPath: '#/properties/duration/maximum',
                          keyword: 'maximum',
                          params: { comparison: '<=', limit: 86400 },
                          message: 'must be <= 86400',
                        },
                      ];
                      return false;
                    } else {
                      if (data31 < 1 || isNaN(data31)) {
                        validate43.errors = [
                          {
                            instancePath: instancePath + '/duration',
                            schemaPath: '#/properties/duration/minimum',
                            keyword: 'minimum',
                            params: { comparison: '>=', limit: 1 },
                            message: 'must be >= 1',
                          },
                        ];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs73 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.stages !== void 0) {
                  let data32 = data.stages;
                  const _errs75 = errors;
                  if (errors === _errs75) {
                    if (Array.isArray(data32)) {
                      if (data32.length > 100) {
                        validate43.errors = [
                          {
                            instancePath: instancePath + '/stages',
                            schemaPath: '#/properties/stages/maxItems',
                            keyword: 'maxItems',
                            params: { limit: 100 },
                            message: 'must NOT have more than 100 items',
                          },
                        ];
                        return false;
                      } else {
                        if (data32.length < 1) {
                          validate43.errors = [
                            {
                              instancePath: instancePath + '/stages',
                              schemaPath: '#/properties/stages/minItems',
                              keyword: 'minItems',
                              params: { limit: 1 },
                              message: 'must NOT have fewer than 1 items',
                            },
                          ];
                          return false;
                        } else {
                          var valid14 = true;
                          const len4 = data32.length;
                          for (let i4 = 0; i4 < len4; i4++) {
                            let data33 = data32[i4];
                            const _errs77 = errors;
                            if (errors === _errs77) {
                              if (data33 && typeof data33 == 'object' && !Array.isArray(data33)) {
                                let missing4;
                                if (
                                  (data33.for === void 0 && (missing4 = 'for')) ||
                                  (data33.to === void 0 && (missing4 = 'to'))
                                ) {
                                  validate43.errors = [
                                    {
                                      instancePath: instancePath + '/stages/' + i4,
                                      schemaPath: '#/properties/stages/items/required',
                                      keyword: 'required',
                                      params: { missingProperty: missing4 },
                                      message: "must have required property '" + missing4 + "'",
                                    },
                                  ];
                                  return false;
                                } else {
                                  const _errs79 = errors;
                                  for (const key9 in data33) {
                                    if (!(key9 === 'for' || key9 === 'to')) {
                                      validate43.errors = [
                                        {
                                          instancePath: instancePath + '/stages/' + i4,
                                          schemaPath: '#/properties/stages/items/additionalProperties',
                                          keyword: 'additionalProperties',
                                          params: { additionalProperty: key9 },
                                          message: 'must NOT have additional properties',
                                        },
                                      ];
                                      return false;
                                      break;
                                    }
                                  }
                                  if (_errs79 === errors) {
                                    if (data33.for !== void 0) {
                                      let data34 = data33.for;
                                      const _errs80 = errors;
                                      if (!(
                                        typeof data34 == 'number' &&
                                        !(data34 % 1) &&
                                        !isNaN(data34) &&
                                        isFinite(data34)
                                      )) {
                                        validate43.errors = [
                                          {
                                            instancePath: instancePath + '/stages/' + i4 + '/for',
                                            schemaPath: '#/properties/stages/items/properties/for/type',
                                            keyword: 'type',
                                            params: { type: 'integer' },
                                            message: 'must be integer',
                                          },
                                        ];
                                        return false;
                                      }
                                      if (errors === _errs80) {
                                        if (typeof data34 == 'number' && isFinite(data34)) {
                                          if (data34 > 86400 || isNaN(data34)) {
                                            validate43.errors = [
                                              {
                                                instancePath: instancePath + '/stages/' + i4 + '/for',
                                                schemaPath:
                                                  '#/properties/stages/items/properties/for/maximum',
                                                keyword: 'maximum',
                                                params: { comparison: '<=', limit: 86400 },
                                                message: 'must be <= 86400',
                                              },
                                            ];
                                            return false;
                                          } else {
                                            if (data34 < 0 || isNaN(data34)) {
                                              validate43.errors = [
                                                {
                                                  instancePath: instancePath + '/stages/' + i4 + '/for',
                                                  schemaPath:
                                                    '#/properties/stages/items/properties/for/minimum',
                                                  keyword: 'minimum',
                                                  params: { comparison: '>=', limit: 0 },
                                                  message: 'must be >= 0',
                                                },
                                              ];
                                              return false;
                                            }
                                          }
                                        }
                                      }
                                      var valid15 = _errs80 === errors;
                                    } else {
                                      var valid15 = true;
                                    }
                                    if (valid15) {
                                      if (data33.to !== void 0) {
                                        let data35 = data33.to;
                                        const _errs82 = errors;
                                        if (!(
                                          typeof data35 == 'number' &&
                                          !(data35 % 1) &&
                                          !isNaN(data35) &&
                                          isFinite(data35)
                                        )) {
                                          validate43.errors = [
                                            {
                                              instancePath: instancePath + '/stages/' + i4 + '/to',
                                              schemaPath: '#/properties/stages/items/properties/to/type',
                                              keyword: 'type',
                                              params: { type: 'integer' },
                                              message: 'must be integer',
                                            },
                                          ];
                                          return false;
                                        }
                                        if (errors === _errs82) {
                                          if (typeof data35 == 'number' && isFinite(data35)) {
                                            if (data35 > 1e6 || isNaN(data35)) {
                                              validate43.errors = [
                                                {
                                                  instancePath: instancePath + '/stages/' + i4 + '/to',
                                                  schemaPath:
                                                    '#/properties/stages/items/properties/to/maximum',
                                                  keyword: 'maximum',
                                                  params: { comparison: '<=', limit: 1e6 },
                                                  message: 'must be <= 1000000',
                                                },
                                              ];
                                              return false;
                                            } else {
                                              if (data35 < 0 || isNaN(data35)) {
                                                validate43.errors = [
                                                  {
                                                    instancePath: instancePath + '/stages/' + i4 + '/to',
                                                    schemaPath:
                                                      '#/properties/stages/items/properties/to/minimum',
                                                    keyword: 'minimum',
                                                    params: { comparison: '>=', limit: 0 },
                                                    message: 'must be >= 0',
                                                  },
                                                ];
                                                return false;
                                              }
                                            }
                                          }
                                        }
                                        var valid15 = _errs82 === errors;
                                      } else {
                                        var valid15 = true;
                                      }
                                    }
                                  }
                                }
                              } else {
                                validate43.errors = [
                                  {
                                    instancePath: instancePath + '/stages/' + i4,
                                    schemaPath: '#/properties/stages/items/type',
                                    keyword: 'type',
                                    params: { type: 'object' },
                                    message: 'must be object',
                                  },
                                ];
                                return false;
                              }
                            }
                            var valid14 = _errs77 === errors;
                            if (!valid14) {
                              break;
                            }
                          }
                        }
                      }
                    } else {
                      validate43.errors = [
                        {
                          instancePath: instancePath + '/stages',
                          schemaPath: '#/properties/stages/type',
                          keyword: 'type',
                          params: { type: 'array' },
                          message: 'must be array',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid0 = _errs75 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.warmup !== void 0) {
                    let data36 = data.warmup;
                    const _errs84 = errors;
                    if (!(typeof data36 == 'number' && !(data36 % 1) && !isNaN(data36) && isFinite(data36))) {
                      validate43.errors = [
                        {
                          instancePath: instancePath + '/warmup',
                          schemaPath: '#/properties/warmup/type',
                          keyword: 'type',
                          params: { type: 'integer' },
                          message: 'must be integer',
                        },
                      ];
                      return false;
                    }
                    if (errors === _errs84) {
                      if (typeof data36 == 'number' && isFinite(data36)) {
                        if (data36 > 86400 || isNaN(data36)) {
                          validate43.errors = [
                            {
                              instancePath: instancePath + '/warmup',
                              schemaPath: '#/properties/warmup/maximum',
                              keyword: 'maximum',
                              params: { comparison: '<=', limit: 86400 },
                              message: 'must be <= 86400',
                            },
                          ];
                          return false;
                        } else {
                          if (data36 < 1 || isNaN(data36)) {
                            validate43.errors = [
                              {
                                instancePath: instancePath + '/warmup',
                                schemaPath: '#/properties/warmup/minimum',
                                keyword: 'minimum',
                                params: { comparison: '>=', limit: 1 },
                                message: 'must be >= 1',
                              },
                            ];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs84 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.initial !== void 0) {
                      let data37 = data.initial;
                      const _errs86 = errors;
                      if (!(
                        typeof data37 == 'number' &&
                        !(data37 % 1) &&
                        !isNaN(data37) &&
                        isFinite(data37)
                      )) {
                        validate43.errors = [
                          {
                            instancePath: instancePath + '/initial',
                            schemaPath: '#/properties/initial/type',
                            keyword: 'type',
                            params: { type: 'integer' },
                            message: 'must be integer',
                          },
                        ];
                        return false;
                      }
                      if (errors === _errs86) {
                        if (typeof data37 == 'number' && isFinite(data37)) {
                          if (data37 > 1e6 || isNaN(data37)) {
                            validate43.errors = [
                              {
                                instancePath: instancePath + '/initial',
                                schemaPath: '#/properties/initial/maximum',
                                keyword: 'maximum',
                                params: { comparison: '<=', limit: 1e6 },
                                message: 'must be <= 1000000',
                              },
                            ];
                            return false;
                          } else {
                            if (data37 < 0 || isNaN(data37)) {
                              validate43.errors = [
                                {
                                  instancePath: instancePath + '/initial',
                                  schemaPath: '#/properties/initial/minimum',
                                  keyword: 'minimum',
                                  params: { comparison: '>=', limit: 0 },
                                  message: 'must be >= 0',
                                },
                              ];
                              return false;
                            }
                          }
                        }
                      }
                      var valid0 = _errs86 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.total !== void 0) {
                        let data38 = data.total;
                        const _errs88 = errors;
                        if (!(
                          typeof data38 == 'number' &&
                          !(data38 % 1) &&
                          !isNaN(data38) &&
                          isFinite(data38)
                        )) {
                          validate43.errors = [
                            {
                              instancePath: instancePath + '/total',
                              schemaPath: '#/properties/total/type',
                              keyword: 'type',
                              params: { type: 'integer' },
                              message: 'must be integer',
                            },
                          ];
                          return false;
                        }
                        if (errors === _errs88) {
                          if (typeof data38 == 'number' && isFinite(data38)) {
                            if (data38 > 1e6 || isNaN(data38)) {
                              validate43.errors = [
                                {
                                  instancePath: instancePath + '/total',
                                  schemaPath: '#/properties/total/maximum',
                                  keyword: 'maximum',
                                  params: { comparison: '<=', limit: 1e6 },
                                  message: 'must be <= 1000000',
                                },
                              ];
                              return false;
                            } else {
                              if (data38 < 1 || isNaN(data38)) {
                                validate43.errors = [
                                  {
                                    instancePath: instancePath + '/total',
                                    schemaPath: '#/properties/total/minimum',
                                    keyword: 'minimum',
                                    params: { comparison: '>=', limit: 1 },
                                    message: 'must be >= 1',
                                  },
                                ];
                                return false;
                              }
                            }
                          }
                        }
                        var valid0 = _errs88 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.timeout !== void 0) {
                          let data39 = data.timeout;
                          const _errs90 = errors;
                          if (!(
                            typeof data39 == 'number' &&
                            !(data39 % 1) &&
                            !isNaN(data39) &&
                            isFinite(data39)
                          )) {
                            validate43.errors = [
                              {
                                instancePath: instancePath + '/timeout',
                                schemaPath: '#/properties/timeout/type',
                                keyword: 'type',
                                params: { type: 'integer' },
                                message: 'must be integer',
                              },
                            ];
                            return false;
                          }
                          if (errors === _errs90) {
                            if (typeof data39 == 'number' && isFinite(data39)) {
                              if (data39 > 6e5 || isNaN(data39)) {
                                validate43.errors = [
                                  {
                                    instancePath: instancePath + '/timeout',
                                    schemaPath: '#/properties/timeout/maximum',
                                    keyword: 'maximum',
                                    params: { comparison: '<=', limit: 6e5 },
                                    message: 'must be <= 600000',
                                  },
                                ];
                                return false;
                              } else {
                                if (data39 < 1 || isNaN(data39)) {
                                  validate43.errors = [
                                    {
                                      instancePath: instancePath + '/timeout',
                                      schemaPath: '#/properties/timeout/minimum',
                                      keyword: 'minimum',
                                      params: { comparison: '>=', limit: 1 },
                                      message: 'must be >= 1',
                                    },
                                  ];
                                  return false;
                                }
                              }
                            }
                          }
                          var valid0 = _errs90 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.error_threshold !== void 0) {
                            let data40 = data.error_threshold;
                            const _errs92 = errors;
                            if (errors === _errs92) {
                              if (typeof data40 == 'number' && isFinite(data40)) {
                                if (data40 > 100 || isNaN(data40)) {
                                  validate43.errors = [
                                    {
                                      instancePath: instancePath + '/error_threshold',
                                      schemaPath: '#/properties/error_threshold/maximum',
                                      keyword: 'maximum',
                                      params: { comparison: '<=', limit: 100 },
                                      message: 'must be <= 100',
                                    },
                                  ];
                                  return false;
                                } else {
                                  if (data40 < 0 || isNaN(data40)) {
                                    validate43.errors = [
                                      {
                                        instancePath: instancePath + '/error_threshold',
                                        schemaPath: '#/properties/error_threshold/minimum',
                                        keyword: 'minimum',
                                        params: { comparison: '>=', limit: 0 },
                                        message: 'must be >= 0',
                                      },
                                    ];
                                    return false;
                                  }
                                }
                              } else {
                                validate43.errors = [
                                  {
                                    instancePath: instancePath + '/error_threshold',
                                    schemaPath: '#/properties/error_threshold/type',
                                    keyword: 'type',
                                    params: { type: 'number' },
                                    message: 'must be number',
                                  },
                                ];
                                return false;
                              }
                            }
                            var valid0 = _errs92 === errors;
                          } else {
                            var valid0 = true;
                          }
                          if (valid0) {
                            if (data.callback !== void 0) {
                              let data41 = data.callback;
                              const _errs94 = errors;
                              if (errors === _errs94) {
                                if (typeof data41 === 'string') {
                                  if (func2(data41) > 8192) {
                                    validate43.errors = [
                                      {
                                        instancePath: instancePath + '/callback',
                                        schemaPath: '#/properties/callback/maxLength',
                                        keyword: 'maxLength',
                                        params: { limit: 8192 },
                                        message: 'must NOT have more than 8192 characters',
                                      },
                                    ];
                                    return false;
                                  }
                                } else {
                                  validate43.errors = [
                                    {
                                      instancePath: instancePath + '/callback',
                                      schemaPath: '#/properties/callback/type',
                                      keyword: 'type',
                                      params: { type: 'string' },
                                      message: 'must be string',
                                    },
                                  ];
                                  return false;
                                }
                              }
                              var valid0 = _errs94 === errors;
                            } else {
                              var valid0 = true;
                            }
                            if (valid0) {
                              if (data.callback_email !== void 0) {
                                let data42 = data.callback_email;
                                const _errs96 = errors;
                                if (errors === _errs96) {
                                  if (typeof data42 === 'string') {
                                    if (func2(data42) > 320) {
                                      validate43.errors = [
                                        {
                                          instancePath: instancePath + '/callback_email',
                                          schemaPath: '#/properties/callback_email/maxLength',
                                          keyword: 'maxLength',
                                          params: { limit: 320 },
                                          message: 'must NOT have more than 320 characters',
                                        },
                                      ];
                                      return false;
                                    }
                                  } else {
                                    validate43.errors = [
                                      {
                                        instancePath: instancePath + '/callback_email',
                                        schemaPath: '#/properties/callback_email/type',
                                        keyword: 'type',
                                        params: { type: 'string' },
                                        message: 'must be string',
                                      },
                                    ];
                                    return false;
                                  }
                                }
                                var valid0 = _errs96 === errors;
                              } else {
                                var valid0 = true;
                              }
                              if (valid0) {
                                if (data.scheduled_at !== void 0) {
                                  let data43 = data.scheduled_at;
                                  const _errs98 = errors;
                                  if (errors === _errs98) {
                                    if (typeof data43 === 'string') {
                                      if (func2(data43) > 40) {
                                        validate43.errors = [
                                          {
                                            instancePath: instancePath + '/scheduled_at',
                                            schemaPath: '#/properties/scheduled_at/maxLength',
                                            keyword: 'maxLength',
                                            params: { limit: 40 },
                                            message: 'must NOT have more than 40 characters',
                                          },
                                        ];
                                        return false;
                                      }
                                    } else {
                                      validate43.errors = [
                                        {
                                          instancePath: instancePath + '/scheduled_at',
                                          schemaPath: '#/properties/scheduled_at/type',
                                          keyword: 'type',
                                          params: { type: 'string' },
                                          message: 'must be string',
                                        },
                                      ];
                                      return false;
                                    }
                                  }
                                  var valid0 = _errs98 === errors;
                                } else {
                                  var valid0 = true;
                                }
                                if (valid0) {
                                  if (data.name !== void 0) {
                                    let data44 = data.name;
                                    const _errs100 = errors;
                                    if (errors === _errs100) {
                                      if (typeof data44 === 'string') {
                                        if (func2(data44) > 1e3) {
                                          validate43.errors = [
                                            {
                                              instancePath: instancePath + '/name',
                                              schemaPath: '#/properties/name/maxLength',
                                              keyword: 'maxLength',
                                              params: { limit: 1e3 },
                                              message: 'must NOT have more than 1000 characters',
                                            },
                                          ];
                                          return false;
                                        }
                                      } else {
                                        validate43.errors = [
                                          {
                                            instancePath: instancePath + '/name',
                                            schemaPath: '#/properties/name/type',
                                            keyword: 'type',
                                            params: { type: 'string' },
                                            message: 'must be string',
                                          },
                                        ];
                                        return false;
                                      }
                                    }
                                    var valid0 = _errs100 === errors;
                                  } else {
                                    var valid0 = true;
                                  }
                                  if (valid0) {
                                    if (data.notes !== void 0) {
                                      let data45 = data.notes;
                                      const _errs102 = errors;
                                      if (errors === _errs102) {
                                        if (typeof data45 === 'string') {
                                          if (func2(data45) > 65536) {
                                            validate43.errors = [
                                              {
                                                instancePath: instancePath + '/notes',
                                                schemaPath: '#/properties/notes/maxLength',
                                                keyword: 'maxLength',
                                                params: { limit: 65536 },
                                                message: 'must NOT have more than 65536 characters',
                                              },
                                            ];
                                            return false;
                                          }
                                        } else {
                                          validate43.errors = [
                                            {
                                              instancePath: instancePath + '/notes',
                                              schemaPath: '#/properties/notes/type',
                                              keyword: 'type',
                                              params: { type: 'string' },
                                              message: 'must be string',
                                            },
                                          ];
                                          return false;
                                        }
                                      }
                                      var valid0 = _errs102 === errors;
                                    } else {
                                      var valid0 = true;
                                    }
                                    if (valid0) {
                                      if (data.tls_verify !== void 0) {
                                        const _errs104 = errors;
                                        if (typeof data.tls_verify !== 'boolean') {
                                          validate43.errors = [
                                            {
                                              instancePath: instancePath + '/tls_verify',
                                              schemaPath: '#/properties/tls_verify/type',
                                              keyword: 'type',
                                              params: { type: 'boolean' },
                                              message: 'must be boolean',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid0 = _errs104 === errors;
                                      } else {
                                        var valid0 = true;
                                      }
                                      if (valid0) {
                                        if (data.tag_names !== void 0) {
                                          let data47 = data.tag_names;
                                          const _errs106 = errors;
                                          if (errors === _errs106) {
                                            if (Array.isArray(data47)) {
                                              if (data47.length > 100) {
                                                validate43.errors = [
                                                  {
                                                    instancePath: instancePath + '/tag_names',
                                                    schemaPath: '#/properties/tag_names/maxItems',
                                                    keyword: 'maxItems',
                                                    params: { limit: 100 },
                                                    message: 'must NOT have more than 100 items',
                                                  },
                                                ];
                                                return false;
                                              } else {
                                                var valid16 = true;
                                                const len5 = data47.length;
                                                for (let i5 = 0; i5 < len5; i5++) {
                                                  let data48 = data47[i5];
                                                  const _errs108 = errors;
                                                  if (errors === _errs108) {
                                                    if (typeof data48 === 'string') {
                                                      if (func2(data48) > 1e3) {
                                                        validate43.errors = [
                                                          {
                                                            instancePath: instancePath + '/tag_names/' + i5,
                                                            schemaPath:
                                                              '#/properties/tag_names/items/maxLength',
                                                            keyword: 'maxLength',
                                                            params: { limit: 1e3 },
                                                            message:
                                                              'must NOT have more than 1000 characters',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                    } else {
                                                      validate43.errors = [
                                                        {
                                                          instancePath: instancePath + '/tag_names/' + i5,
                                                          schemaPath: '#/properties/tag_names/items/type',
                                                          keyword: 'type',
                                                          params: { type: 'string' },
                                                          message: 'must be string',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  }
                                                  var valid16 = _errs108 === errors;
                                                  if (!valid16) {
                                                    break;
                                                  }
                                                }
                                              }
                                            } else {
                                              validate43.errors = [
                                                {
                                                  instancePath: instancePath + '/tag_names',
                                                  schemaPath: '#/properties/tag_names/type',
                                                  keyword: 'type',
                                                  params: { type: 'array' },
                                                  message: 'must be array',
                                                },
                                              ];
                                              return false;
                                            }
                                          }
                                          var valid0 = _errs106 === errors;
                                        } else {
                                          var valid0 = true;
                                        }
                                        if (valid0) {
                                          if (data.next_run_at !== void 0) {
                                            let data49 = data.next_run_at;
                                            const _errs110 = errors;
                                            if (errors === _errs110) {
                                              if (typeof data49 === 'string') {
                                                if (func2(data49) > 40) {
                                                  validate43.errors = [
                                                    {
                                                      instancePath: instancePath + '/next_run_at',
                                                      schemaPath: '#/properties/next_run_at/maxLength',
                                                      keyword: 'maxLength',
                                                      params: { limit: 40 },
                                                      message: 'must NOT have more than 40 characters',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                              } else {
                                                validate43.errors = [
                                                  {
                                                    instancePath: instancePath + '/next_run_at',
                                                    schemaPath: '#/properties/next_run_at/type',
                                                    keyword: 'type',
                                                    params: { type: 'string' },
                                                    message: 'must be string',
                                                  },
                                                ];
                                                return false;
                                              }
                                            }
                                            var valid0 = _errs110 === errors;
                                          } else {
                                            var valid0 = true;
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate43.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate43.errors = vErrors;
  return errors === 0;
}
var validateTestCreated = validate44;
var schema29 = {
  type: 'object',
  required: ['message', 'test_id'],
  properties: {
    message: { type: 'string' },
    test_id: { type: ['string', 'number'] },
    status: { type: ['string', 'null'] },
    result_id: { type: ['string', 'number', 'null'] },
    warnings: { type: 'array', items: { type: 'string' } },
  },
};
function validate44(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.message === void 0 && (missing0 = 'message')) ||
        (data.test_id === void 0 && (missing0 = 'test_id'))
      ) {
        validate44.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.message !== void 0) {
          const _errs1 = errors;
          if (typeof data.message !== 'string') {
            validate44.errors = [
              {
                instancePath: instancePath + '/message',
                schemaPath: '#/properties/message/type',
                keyword: 'type',
                params: { type: 'string' },
                message: 'must be string',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.test_id !== void 0) {
            let data1 = data.test_id;
            const _errs3 = errors;
            if (typeof data1 !== 'string' && !(typeof data1 == 'number' && isFinite(data1))) {
              validate44.errors = [
                {
                  instancePath: instancePath + '/test_id',
                  schemaPath: '#/properties/test_id/type',
                  keyword: 'type',
                  params: { type: schema29.properties.test_id.type },
                  message: 'must be string,number',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.status !== void 0) {
              let data2 = data.status;
              const _errs5 = errors;
              if (typeof data2 !== 'string' && data2 !== null) {
                validate44.errors = [
                  {
                    instancePath: instancePath + '/status',
                    schemaPath: '#/properties/status/type',
                    keyword: 'type',
                    params: { type: schema29.properties.status.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.result_id !== void 0) {
                let data3 = data.result_id;
                const _errs7 = errors;
                if (
                  typeof data3 !== 'string' &&
                  !(typeof data3 == 'number' && isFinite(data3)) &&
                  data3 !== null
                ) {
                  validate44.errors = [
                    {
                      instancePath: instancePath + '/result_id',
                      schemaPath: '#/properties/result_id/type',
                      keyword: 'type',
                      params: { type: schema29.properties.result_id.type },
                      message: 'must be string,number,null',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.warnings !== void 0) {
                  let data4 = data.warnings;
                  const _errs9 = errors;
                  if (errors === _errs9) {
                    if (Array.isArray(data4)) {
                      var valid1 = true;
                      const len0 = data4.length;
                      for (let i0 = 0; i0 < len0; i0++) {
                        const _errs11 = errors;
                        if (typeof data4[i0] !== 'string') {
                          validate44.errors = [
                            {
                              instancePath: instancePath + '/warnings/' + i0,
                              schemaPath: '#/properties/warnings/items/type',
                              keyword: 'type',
                              params: { type: 'string' },
                              message: 'must be string',
                            },
                          ];
                          return false;
                        }
                        var valid1 = _errs11 === errors;
                        if (!valid1) {
                          break;
                        }
                      }
                    } else {
                      validate44.errors = [
                        {
                          instancePath: instancePath + '/warnings',
                          schemaPath: '#/properties/warnings/type',
                          keyword: 'type',
                          params: { type: 'array' },
                          message: 'must be array',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate44.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate44.errors = vErrors;
  return errors === 0;
}
var validateTestList = validate45;
var schema30 = {
  type: 'array',
  items: {
    type: 'object',
    required: ['test_id', 'urls'],
    properties: {
      test_id: { type: ['string', 'number'] },
      domain: { type: ['string', 'null'] },
      test_type: { type: ['string', 'null'] },
      status: { type: ['string', 'null'] },
      duration: { type: ['number', 'string', 'null'] },
      stages: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
      warmup: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
      initial: { type: ['number', 'string', 'null'] },
      total: { type: ['number', 'string', 'null'] },
      timeout: { type: ['number', 'string', 'null'] },
      error_threshold: { type: ['number', 'string', 'null'] },
      name: { type: ['string', 'null'] },
      notes: { type: ['string', 'null'] },
      callback: { type: ['string', 'null'] },
      callback_email: { type: ['string', 'null'] },
      scheduled_at: { type: ['string', 'null'] },
      tls_verify: { type: ['boolean', 'null'] },
      tag_names: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
      next_run_at: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
      urls: {
        type: 'array',
        items: {
          type: 'object',
          required: ['url'],
          properties: {
            url: { type: 'string' },
            request_type: { type: ['string', 'null'] },
            authentication: { type: ['object', 'string', 'null'] },
            headers: { type: ['object', 'array', 'string', 'null'] },
            request_params: { type: ['object', 'array', 'string', 'null'] },
            raw_post_body: { type: ['string', 'null'] },
            raw_post_body_cut: { type: ['boolean', 'null'] },
            payload_file_url: { type: ['string', 'null'] },
            payload_file: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
            expect: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
            raw_post_body_json: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
            delay: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
            variables: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
          },
        },
      },
    },
  },
};
function validate45(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (Array.isArray(data)) {
      var valid0 = true;
      const len0 = data.length;
      for (let i0 = 0; i0 < len0; i0++) {
        let data0 = data[i0];
        const _errs1 = errors;
        if (errors === _errs1) {
          if (data0 && typeof data0 == 'object' && !Array.isArray(data0)) {
            let missing0;
            if (
              (data0.test_id === void 0 && (missing0 = 'test_id')) ||
              (data0.urls === void 0 && (missing0 = 'urls'))
            ) {
              validate45.errors = [
                {
                  instancePath: instancePath + '/' + i0,
                  schemaPath: '#/items/required',
                  keyword: 'required',
                  params: { missingProperty: missing0 },
                  message: "must have required property '" + missing0 + "'",
                },
              ];
              return false;
            } else {
              if (data0.test_id !== void 0) {
                let data1 = data0.test_id;
                const _errs3 = errors;
                if (typeof data1 !== 'string' && !(typeof data1 == 'number' && isFinite(data1))) {
                  validate45.errors = [
                    {
                      instancePath: instancePath + '/' + i0 + '/test_id',
                      schemaPath: '#/items/properties/test_id/type',
                      keyword: 'type',
                      params: { type: schema30.items.properties.test_id.type },
                      message: 'must be string,number',
                    },
                  ];
                  return false;
                }
                var valid1 = _errs3 === errors;
              } else {
                var valid1 = true;
              }
              if (valid1) {
                if (data0.domain !== void 0) {
                  let data2 = data0.domain;
                  const _errs5 = errors;
                  if (typeof data2 !== 'string' && data2 !== null) {
                    validate45.errors = [
                      {
                        instancePath: instancePath + '/' + i0 + '/domain',
                        schemaPath: '#/items/properties/domain/type',
                        keyword: 'type',
                        params: { type: schema30.items.properties.domain.type },
                        message: 'must be string,null',
                      },
                    ];
                    return false;
                  }
                  var valid1 = _errs5 === errors;
                } else {
                  var valid1 = true;
                }
                if (valid1) {
                  if (data0.test_type !== void 0) {
                    let data3 = data0.test_type;
                    const _errs7 = errors;
                    if (typeof data3 !== 'string' && data3 !== null) {
                      validate45.errors = [
                        {
                          instancePath: instancePath + '/' + i0 + '/test_type',
                          schemaPath: '#/items/properties/test_type/type',
                          keyword: 'type',
                          params: { type: schema30.items.properties.test_type.type },
                          message: 'must be string,null',
                        },
                      ];
                      return false;
                    }
                    var valid1 = _errs7 === errors;
                  } else {
                    var valid1 = true;
                  }
                  if (valid1) {
                    if (data0.status !== void 0) {
                      let data4 = data0.status;
                      const _errs9 = errors;
                      if (typeof data4 !== 'string' && data4 !== null) {
                        validate45.errors = [
                          {
                            instancePath: instancePath + '/' + i0 + '/status',
                            schemaPath: '#/items/properties/status/type',
                            keyword: 'type',
                            params: { type: schema30.items.properties.status.type },
                            message: 'must be string,null',
                          },
                        ];
                        return false;
                      }
                      var valid1 = _errs9 === errors;
                    } else {
                      var valid1 = true;
                    }
                    if (valid1) {
                      if (data0.duration !== void 0) {
                        let data5 = data0.duration;
                        const _errs11 = errors;
                        if (
                          !(typeof data5 == 'number' && isFinite(data5)) &&
                          typeof data5 !== 'string' &&
                          data5 !== null
                        ) {
                          validate45.errors = [
                            {
                              instancePath: instancePath + '/' + i0 + '/duration',
                              schemaPath: '#/items/properties/duration/type',
                              keyword: 'type',
                              params: { type: schema30.items.properties.duration.type },
                              message: 'must be number,string,null',
                            },
                          ];
                          return false;
                        }
                        var valid1 = _errs11 === errors;
                      } else {
                        var valid1 = true;
                      }
                      if (valid1) {
                        if (data0.stages !== void 0) {
                          let data6 = data0.stages;
                          const _errs13 = errors;
                          if (
                            typeof data6 != 'object' &&
                            typeof data6 !== 'string' &&
                            !(typeof data6 == 'number' && isFinite(data6)) &&
                            typeof data6 !== 'boolean'
                          ) {
                            validate45.errors = [
                              {
                                instancePath: instancePath + '/' + i0 + '/stages',
                                schemaPath: '#/items/properties/stages/type',
                                keyword: 'type',
                                params: { type: schema30.items.properties.stages.type },
                                message: 'must be array,object,string,number,boolean,null',
                              },
                            ];
                            return false;
                          }
                          var valid1 = _errs13 === errors;
                        } else {
                          var valid1 = true;
                        }
                        if (valid1) {
                          if (data0.warmup !== void 0) {
                            let data7 = data0.warmup;
                            const _errs15 = errors;
                            if (
                              typeof data7 != 'object' &&
                              typeof data7 !== 'string' &&
                              !(typeof data7 == 'number' && isFinite(data7)) &&
                              typeof data7 !== 'boolean'
                            ) {
                              validate45.errors = [
                                {
                                  instancePath: instancePath + '/' + i0 + '/warmup',
                                  schemaPath: '#/items/properties/warmup/type',
                                  keyword: 'type',
                                  params: { type: schema30.items.properties.warmup.type },
                                  message: 'must be array,object,string,number,boolean,null',
                                },
                              ];
                              return false;
                            }
                            var valid1 = _errs15 === errors;
                          } else {
                            var valid1 = true;
                          }
                          if (valid1) {
                            if (data0.initial !== void 0) {
                              let data8 = data0.initial;
                              const _errs17 = errors;
                              if (
                                !(typeof data8 == 'number' && isFinite(data8)) &&
                                typeof data8 !== 'string' &&
                                data8 !== null
                              ) {
                                validate45.errors = [
                                  {
                                    instancePath: instancePath + '/' + i0 + '/initial',
                                    schemaPath: '#/items/properties/initial/type',
                                    keyword: 'type',
                                    params: { type: schema30.items.properties.initial.type },
                                    message: 'must be number,string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid1 = _errs17 === errors;
                            } else {
                              var valid1 = true;
                            }
                            if (valid1) {
                              if (data0.total !== void 0) {
                                let data9 = data0.total;
                                const _errs19 = errors;
                                if (
                                  !(typeof data9 == 'number' && isFinite(data9)) &&
                                  typeof data9 !== 'string' &&
                                  data9 !== null
                                ) {
                                  validate45.errors = [
                                    {
                                      instancePath: instancePath + '/' + i0 + '/total',
                                      schemaPath: '#/items/properties/total/type',
                                      keyword: 'type',
                                      params: { type: schema30.items.properties.total.type },
                                      message: 'must be number,string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid1 = _errs19 === errors;
                              } else {
                                var valid1 = true;
                              }
                              if (valid1) {
                                if (data0.timeout !== void 0) {
                                  let data10 = data0.timeout;
                                  const _errs21 = errors;
                                  if (
                                    !(typeof data10 == 'number' && isFinite(data10)) &&
                                    typeof data10 !== 'string' &&
                                    data10 !== null
                                  ) {
                                    validate45.errors = [
                                      {
                                        instancePath: instancePath + '/' + i0 + '/timeout',
                                        schemaPath: '#/items/properties/timeout/type',
                                        keyword: 'type',
                                        params: { type: schema30.items.properties.timeout.type },
                                        message: 'must be number,string,null',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid1 = _errs21 === errors;
                                } else {
                                  var valid1 = true;
                                }
                                if (valid1) {
                                  if (data0.error_threshold !== void 0) {
                                    let data11 = data0.error_threshold;
                                    const _errs23 = errors;
                                    if (
                                      !(typeof data11 == 'number' && isFinite(data11)) &&
                                      typeof data11 !== 'string' &&
                                      data11 !== null
                                    ) {
                                      validate45.errors = [
                                        {
                                          instancePath: instancePath + '/' + i0 + '/error_threshold',
                                          schemaPath: '#/items/properties/error_threshold/type',
                                          keyword: 'type',
                                          params: { type: schema30.items.properties.error_threshold.type },
                                          message: 'must be number,string,null',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid1 = _errs23 === errors;
                                  } else {
                                    var valid1 = true;
                                  }
                                  if (valid1) {
                                    if (data0.name !== void 0) {
                                      let data12 = data0.name;
                                      const _errs25 = errors;
                                      if (typeof data12 !== 'string' && data12 !== null) {
                                        validate45.errors = [
                                          {
                                            instancePath: instancePath + '/' + i0 + '/name',
                                            schemaPath: '#/items/properties/name/type',
                                            keyword: 'type',
                                            params: { type: schema30.items.properties.name.type },
                                            message: 'must be string,null',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid1 = _errs25 === errors;
                                    } else {
                                      var valid1 = true;
                                    }
                                    if (valid1) {
                                      if (data0.notes !== void 0) {
                                        let data13 = data0.notes;
                                        const _errs27 = errors;
                                        if (typeof data13 !== 'string' && data13 !== null) {
                                          validate45.errors = [
                                            {
                                              instancePath: instancePath + '/' + i0 + '/notes',
                                              schemaPath: '#/items/properties/notes/type',
                                              keyword: 'type',
                                              params: { type: schema30.items.properties.notes.type },
                                              message: 'must be string,null',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid1 = _errs27 === errors;
                                      } else {
                                        var valid1 = true;
                                      }
                                      if (valid1) {
                                        if (data0.callback !== void 0) {
                                          let data14 = data0.callback;
                                          const _errs29 = errors;
                                          if (typeof data14 !== 'string' && data14 !== null) {
                                            validate45.errors = [
                                              {
                                                instancePath: instancePath + '/' + i0 + '/callback',
                                                schemaPath: '#/items/properties/callback/type',
                                                keyword: 'type',
                                                params: { type: schema30.items.properties.callback.type },
                                                message: 'must be string,null',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid1 = _errs29 === errors;
                                        } else {
                                          var valid1 = true;
                                        }
                                        if (valid1) {
                                          if (data0.callback_email !== void 0) {
                                            let data15 = data0.callback_email;
                                            const _errs31 = errors;
                                            if (typeof data15 !== 'string' && data15 !== null) {
                                              validate45.errors = [
                                                {
                                                  instancePath: instancePath + '/' + i0 + '/callback_email',
                                                  schemaPath: '#/items/properties/callback_email/type',
                                                  keyword: 'type',
                                                  params: {
                                                    type: schema30.items.properties.callback_email.type,
                                                  },
                                                  message: 'must be string,null',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid1 = _errs31 === errors;
                                          } else {
                                            var valid1 = true;
                                          }
                                          if (valid1) {
                                            if (data0.scheduled_at !== void 0) {
                                              let data16 = data0.scheduled_at;
                                              const _errs33 = errors;
                                              if (typeof data16 !== 'string' && data16 !== null) {
                                                validate45.errors = [
                                                  {
                                                    instancePath: instancePath + '/' + i0 + '/scheduled_at',
                                                    schemaPath: '#/items/properties/scheduled_at/type',
                                                    keyword: 'type',
                                                    params: {
                                                      type: schema30.items.properties.scheduled_at.type,
                                                    },
                                                    message: 'must be string,null',
                                                  },
                                                ];
                                                return false;
                                              }
                                              var valid1 = _errs33 === errors;
                                            } else {
                                              var valid1 = true;
                                            }
                                            if (valid1) {
                                              if (data0.tls_verify !== void 0) {
                                                let data17 = data0.tls_verify;
                                                const _errs35 = errors;
                                                if (typeof data17 !== 'boolean' && data17 !== null) {
                                                  validate45.errors = [
                                                    {
                                                      instancePath: instancePath + '/' + i0 + '/tls_verify',
                                                      schemaPath: '#/items/properties/tls_verify/type',
                                                      keyword: 'type',
                                                      params: {
                                                        type: schema30.items.properties.tls_verify.type,
                                                      },
                                                      message: 'must be boolean,null',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                                var valid1 = _errs35 === errors;
                                              } else {
                                                var valid1 = true;
                                              }
                                              if (valid1) {
                                                if (data0.tag_names !== void 0) {
                                                  let data18 = data0.tag_names;
                                                  const _errs37 = errors;
                                                  if (
                                                    typeof data18 != 'object' &&
                                                    typeof data18 !== 'string' &&
                                                    !(typeof data18 == 'number' && isFinite(data18)) &&
                                                    typeof data18 !== 'boolean'
                                                  ) {
                                                    validate45.errors = [
                                                      {
                                                        instancePath: instancePath + '/' + i0 + '/tag_names',
                                                        schemaPath: '#/items/properties/tag_names/type',
                                                        keyword: 'type',
                                                        params: {
                                                          type: schema30.items.properties.tag_names.type,
                                                        },
                                                        message:
                                                          'must be array,object,string,number,boolean,null',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                  var valid1 = _errs37 === errors;
                                                } else {
                                                  var valid1 = true;
                                                }
                                                if (valid1) {
                                                  if (data0.next_run_at !== void 0) {
                                                    let data19 = data0.next_run_at;
                                                    const _errs39 = errors;
                                                    if (
                                                      typeof data19 != 'object' &&
                                                      typeof data19 !== 'string' &&
                                                      !(typeof data19 == 'number' && isFinite(data19)) &&
                                                      typeof data19 !== 'boolean'
                                                    ) {
                                                      validate45.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath + '/' + i0 + '/next_run_at',
                                                          schemaPath: '#/items/properties/next_run_at/type',
                                                          keyword: 'type',
                                                          params: {
                                                            type: schema30.items.properties.next_run_at.type,
                                                          },
                                                          message:
                                                            'must be array,object,string,number,boolean,null',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                    var valid1 = _errs39 === errors;
                                                  } else {
                                                    var valid1 = true;
                                                  }
                                                  if (valid1) {
                                                    if (data0.urls !== void 0) {
                                                      let data20 = data0.urls;
                                                      const _errs41 = errors;
                                                      if (errors === _errs41) {
                                                        if (Array.isArray(data20)) {
                                                          var valid2 = true;
                                                          const len1 = data20.length;
                                                          for (let i1 = 0; i1 < len1; i1++) {
                                                            let data21 = data20[i1];
                                                            const _errs43 = errors;
                                                            if (errors === _errs43) {
                                                              if (
                                                                data21 &&
                                                                typeof data21 == 'object' &&
                                                                !Array.isArray(data21)
                                                              ) {
                                                                let missing1;
                                                                if (
                                                                  data21.url === void 0 &&
                                                                  (missing1 = 'url')
                                                                ) {
                                                                  validate45.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath +
                                                                        '/' +
                                                                        i0 +
                                                                        '/urls/' +
                                                                        i1,
                                                                      schemaPath:
                                                                        '#/items/properties/urls/items/required',
                                                                      keyword: 'required',
                                                                      params: { missingProperty: missing1 },
                                                                      message:
                                                                        "must have required property '" +
                                                                        missing1 +
                                                                        "'",
                                                                    },
                                                                  ];
                                                                  return false;
                                                                } else {
                                                                  if (data21.url !== void 0) {
                                                                    const _errs45 = errors;
                                                                    if (typeof data21.url !== 'string') {
                                                                      validate45.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/' +
                                                                            i0 +
                                                                            '/urls/' +
                                                                            i1 +
                                                                            '/url',
                                                                          schemaPath:
                                                                            '#/items/properties/urls/items/properties/url/type',
                                                                          keyword: 'type',
                                                                          params: { type: 'string' },
                                                                          message: 'must be string',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                    var valid3 = _errs45 === errors;
                                                                  } else {
                                                                    var valid3 = true;
                                                                  }
                                                                  if (valid3) {
                                                                    if (data21.request_type !== void 0) {
                                                                      let data23 = data21.request_type;
                                                                      const _errs47 = errors;
                                                                      if (
                                                                        typeof data23 !== 'string' &&
                                                                        data23 !== null
                                                                      ) {
                                                                        validate45.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/' +
                                                                              i0 +
                                                                              '/urls/' +
                                                                              i1 +
                                                                              '/request_type',
                                                                            schemaPath:
                                                                              '#/items/properties/urls/items/properties/request_type/type',
                                                                            keyword: 'type',
                                                                            params: {
                                                                              type: schema30.items.properties
                                                                                .urls.items.properties
                                                                                .request_type.type,
                                                                            },
                                                                            message: 'must be string,null',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                      var valid3 = _errs47 === errors;
                                                                    } else {
                                                                      var valid3 = true;
                                                                    }
                                                                    if (valid3) {
                                                                      if (data21.authentication !== void 0) {
                                                                        let data24 = data21.authentication;
                                                                        const _errs49 = errors;
                                                                        if (
                                                                          !(
                                                                            data24 &&
                                                                            typeof data24 == 'object' &&
                                                                            !Array.isArray(data24)
                                                                          ) &&
                                                                          typeof data24 !== 'string' &&
                                                                          data24 !== null
                                                                        ) {
                                                                          validate45.errors = [
                                                                            {
                                                                              instancePath:
                                                                                instancePath +
                                                                                '/' +
                                                                                i0 +
                                                                                '/urls/' +
                                                                                i1 +
                                                                                '/authentication',
                                                                              schemaPath:
                                                                                '#/items/properties/urls/items/properties/authentication/type',
                                                                              keyword: 'type',
                                                                              params: {
                                                                                type: schema30.items
                                                                                  .properties.urls.items
                                                                                  .properties.authentication
                                                                                  .type,
                                                                              },
                                                                              message:
                                                                                'must be object,string,null',
                                                                            },
                                                                          ];
                                                                          return false;
                                                                        }
                                                                        var valid3 = _errs49 === errors;
                                                                      } else {
                                                                        var valid3 = true;
                                                                      }
                                                                      if (valid3) {
                                                                        if (data21.headers !== void 0) {
                                                                          let data25 = data21.headers;
                                                                          const _errs51 = errors;
                                                                          if (
                                                                            typeof data25 != 'object' &&
                                                                            typeof data25 !== 'string'
                                                                          ) {
                                                                            validate45.errors = [
                                                                              {
                                                                                instancePath:
                                                                                  instancePath +
                                                                                  '/' +
                                                                                  i0 +
                                                                                  '/urls/' +
                                                                                  i1 +
                                                                                  '/headers',
                                                                                schemaPath:
                                                                                  '#/items/properties/urls/items/properties/headers/type',
                                                                                keyword: 'type',
                                                                                params: {
                                                                                  type: schema30.items
                                                                                    .properties.urls.items
                                                                                    .properties.headers.type,
                                                                                },
                                                                                message:
                                                                                  'must be object,array,string,null',
                                                                              },
                                                                            ];
                                                                            return false;
                                                                          }
                                                                          var valid3 = _errs51 === errors;
                                                                        } else {
                                                                          var valid3 = true;
                                                                        }
                                                                        if (valid3) {
                                                                          if (
                                                                            data21.request_params !== void 0
                                                                          ) {
                                                                            let data26 =
                                                                              data21.request_params;
                                                                            const _errs53 = errors;
                                                                            if (
                                                                              typeof data26 != 'object' &&
                                                                              typeof data26 !== 'string'
                                                                            ) {
                                                                              validate45.errors = [
                                                                                {
                                                                                  instancePath:
                                                                                    instancePath +
                                                                                    '/' +
                                                                                    i0 +
                                                                                    '/urls/' +
                                                                                    i1 +
                                                                                    '/request_params',
                                                                                  schemaPath:
                                                                                    '#/items/properties/urls/items/properties/request_params/type',
                                                                                  keyword: 'type',
                                                                                  params: {
                                                                                    type: schema30.items
                                                                                      .properties.urls.items
                                                                                      .properties
                                                                                      .request_params.type,
                                                                                  },
                                                                                  message:
                                                                                    'must be object,array,string,null',
                                                                                },
                                                                              ];
                                                                              return false;
                                                                            }
                                                                            var valid3 = _errs53 === errors;
                                                                          } else {
                                                                            var valid3 = true;
                                                                          }
                                                                          if (valid3) {
                                                                            if (
                                                                              data21.raw_post_body !== void 0
                                                                            ) {
                                                                              let data27 =
                                                                                data21.raw_post_body;
                                                                              const _errs55 = errors;
                                                                              if (
                                                                                typeof data27 !== 'string' &&
                                                                                data27 !== null
                                                                              ) {
                                                                                validate45.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/' +
                                                                                      i0 +
                                                                                      '/urls/' +
                                                                                      i1 +
                                                                                      '/raw_post_body',
                                                                                    schemaPath:
                                                                                      '#/items/properties/urls/items/properties/raw_post_body/type',
                                                                                    keyword: 'type',
                                                                                    params: {
                                                                                      type: schema30.items
                                                                                        .properties.urls.items
                                                                                        .properties
                                                                                        .raw_post_body.type,
                                                                                    },
                                                                                    message:
                                                                                      'must be string,null',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                              var valid3 = _errs55 === errors;
                                                                            } else {
                                                                              var valid3 = true;
                                                                            }
                                                                            if (valid3) {
                                                                              if (
                                                                                data21.raw_post_body_cut !==
                                                                                void 0
                                                                              ) {
                                                                                let data28 =
                                                                                  data21.raw_post_body_cut;
                                                                                const _errs57 = errors;
                                                                                if (
                                                                                  typeof data28 !==
                                                                                    'boolean' &&
                                                                                  data28 !== null
                                                                                ) {
                                                                                  validate45.errors = [
                                                                                    {
                                                                                      instancePath:
                                                                                        instancePath +
                                                                                        '/' +
                                                                                        i0 +
                                                                                        '/urls/' +
                                                                                        i1 +
                                                                                        '/raw_post_body_cut',
                                                                                      schemaPath:
                                                                                        '#/items/properties/urls/items/properties/raw_post_body_cut/type',
                                                                                      keyword: 'type',
                                                                                      params: {
                                                                                        type: schema30.items
                                                                                          .properties.urls
                                                                                          .items.properties
                                                                                          .raw_post_body_cut
                                                                                          .type,
                                                                                      },
                                                                                      message:
                                                                                        'must be boolean,null',
                                                                                    },
                                                                                  ];
                                                                                  return false;
                                                                                }
                                                                                var valid3 =
                                                                                  _errs57 === errors;
                                                                              } else {
                                                                                var valid3 = true;
                                                                              }
                                                                              if (valid3) {
                                                                                if (
                                                                                  data21.payload_file_url !==
                                                                                  void 0
                                                                                ) {
                                                                                  let data29 =
                                                                                    data21.payload_file_url;
                                                                                  const _errs59 = errors;
                                                                                  if (
                                                                                    typeof data29 !==
                                                                                      'string' &&
                                                                                    data29 !== null
                                                                                  ) {
                                                                                    validate45.errors = [
                                                                                      {
                                                                                        instancePath:
                                                                                          instancePath +
                                                                                          '/' +
                                                                                          i0 +
                                                                                          '/urls/' +
                                                                                          i1 +
                                                                                          '/payload_file_url',
                                                                                        schemaPath:
                                                                                          '#/items/properties/urls/items/properties/payload_file_url/type',
                                                                                        keyword: 'type',
                                                                                        params: {
                                                                                          type: schema30.items
                                                                                            .properties.urls
                                                                                            .items.properties
                                                                                            .payload_file_url
                                                                                            .type,
                                                                                        },
                                                                                        message:
                                                                                          'must be string,null',
                                                                                      },
                                                                                    ];
                                                                                    return false;
                                                                                  }
                                                                                  var valid3 =
                                                                                    _errs59 === errors;
                                                                                } else {
                                                                                  var valid3 = true;
                                                                                }
                                                                                if (valid3) {
                                                                                  if (
                                                                                    data21.payload_file !==
                                                                                    void 0
                                                                                  ) {
                                                                                    let data30 =
                                                                                      data21.payload_file;
                                                                                    const _errs61 = errors;
                                                                                    if (
                                                                                      typeof data30 !=
                                                                                        'object' &&
                                                                                      typeof data30 !==
                                                                                        'string' &&
                                                                                      !(
                                                                                        typeof data30 ==
                                                                                          'number' &&
                                                                                        isFinite(data30)
                                                                                      ) &&
                                                                                      typeof data30 !==
                                                                                        'boolean'
                                                                                    ) {
                                                                                      validate45.errors = [
                                                                                        {
                                                                                          instancePath:
                                                                                            instancePath +
                                                                                            '/' +
                                                                                            i0 +
                                                                                            '/urls/' +
                                                                                            i1 +
                                                                                            '/payload_file',
                                                                                          schemaPath:
                                                                                            '#/items/properties/urls/items/properties/payload_file/type',
                                                                                          keyword: 'type',
                                                                                          params: {
                                                                                            type: schema30
                                                                                              .items
                                                                                              .properties.urls
                                                                                              .items
                                                                                              .properties
                                                                                              .payload_file
                                                                                              .type,
                                                                                          },
                                                                                          message:
                                                                                            'must be array,object,string,number,boolean,null',
                                                                                        },
                                                                                      ];
                                                                                      return false;
                                                                                    }
                                                                                    var valid3 =
                                                                                      _errs61 === errors;
                                                                                  } else {
                                                                                    var valid3 = true;
                                                                                  }
                                                                                  if (valid3) {
                                                                                    if (
                                                                                      data21.expect !== void 0
                                                                                    ) {
                                                                                      let data31 =
                                                                                        data21.expect;
                                                                                      const _errs63 = errors;
                                                                                      if (
                                                                                        typeof data31 !=
                                                                                          'object' &&
                                                                                        typeof data31 !==
                                                                                          'string' &&
                                                                                        !(
                                                                                          typeof data31 ==
                                                                                            'number' &&
                                                                                          isFinite(data31)
                                                                                        ) &&
                                                                                        typeof data31 !==
                                                                                          'boolean'
                                                                                      ) {
                                                                                        validate45.errors = [
                                                                                          {
                                                                                            instancePath:
                                                                                              instancePath +
                                                                                              '/' +
                                                                                              i0 +
                                                                                              '/urls/' +
                                                                                              i1 +
                                                                                              '/expect',
                                                                                            schemaPath:
                                                                                              '#/items/properties/urls/items/properties/expect/type',
                                                                                            keyword: 'type',
                                                                                            params: {
                                                                                              type: schema30
                                                                                                .items
                                                                                                .properties
                                                                                                .urls.items
                                                                                                .properties
                                                                                                .expect.type,
                                                                                            },
                                                                                            message:
                                                                                              'must be array,object,string,number,boolean,null',
                                                                                          },
                                                                                        ];
                                                                                        return false;
                                                                                      }
                                                                                      var valid3 =
                                                                                        _errs63 === errors;
                                                                                    } else {
                                                                                      var valid3 = true;
                                                                                    }
                                                                                    if (valid3) {
                                                                                      if (
                                                                                        data21.raw_post_body_json !==
                                                                                        void 0
                                                                                      ) {
                                                                                        let data32 =
                                                                                          data21.raw_post_body_json;
                                                                                        const _errs65 =
                                                                                          errors;
                                                                                        if (
                                                                                          typeof data32 !=
                                                                                            'object' &&
                                                                                          typeof data32 !==
                                                                                            'string' &&
                                                                                          !(
                                                                                            typeof data32 ==
                                                                                              'number' &&
                                                                                            isFinite(data32)
                                                                                          ) &&
                                                                                          typeof data32 !==
                                                                                            'boolean'
                                                                                        ) {
                                                                                          validate45.errors =
                                                                                            [
                                                                                              {
                                                                                                instancePath:
                                                                                                  instancePath +
                                                                                                  '/' +
                                                                                                  i0 +
                                                                                                  '/urls/' +
                                                                                                  i1 +
                                                                                                  '/raw_post_body_json',
                                                                                                schemaPath:
                                                                                                  '#/items/properties/urls/items/properties/raw_post_body_json/type',
                                                                                                keyword:
                                                                                                  'type',
                                                                                                params: {
                                                                                                  type: schema30
                                                                                                    .items
                                                                                                    .properties
                                                                                                    .urls
                                                                                                    .items
                                                                                                    .properties
                                                                                                    .raw_post_body_json
                                                                                                    .type,
                                                                                                },
                                                                                                message:
                                                                                                  'must be array,object,string,number,boolean,null',
                                                                                              },
                                                                                            ];
                                                                                          return false;
                                                                                        }
                                                                                        var valid3 =
                                                                                          _errs65 === errors;
                                                                                      } else {
                                                                                        var valid3 = true;
                                                                                      }
                                                                                      if (valid3) {
                                                                                        if (
                                                                                          data21.delay !==
                                                                                          void 0
                                                                                        ) {
                                                                                          let data33 =
                                                                                            data21.delay;
                                                                                          const _errs67 =
                                                                                            errors;
                                                                                          if (
                                                                                            typeof data33 !=
                                                                                              'object' &&
                                                                                            typeof data33 !==
                                                                                              'string' &&
                                                                                            !(
                                                                                              typeof data33 ==
                                                                                                'number' &&
                                                                                              isFinite(data33)
                                                                                            ) &&
                                                                                            typeof data33 !==
                                                                                              'boolean'
                                                                                          ) {
                                                                                            validate45.errors =
                                                                                              [
                                                                                                {
                                                                                                  instancePath:
                                                                                                    instancePath +
                                                                                                    '/' +
                                                                                                    i0 +
                                                                                                    '/urls/' +
                                                                                                    i1 +
                                                                                                    '/delay',
                                                                                                  schemaPath:
                                                                                                    '#/items/properties/urls/items/properties/delay/type',
                                                                                                  keyword:
                                                                                                    'type',
                                                                                                  params: {
                                                                                                    type: schema30
                                                                                                      .items
                                                                                                      .properties
                                                                                                      .urls
                                                                                                      .items
                                                                                                      .properties
                                                                                                      .delay
                                                                                                      .type,
                                                                                                  },
                                                                                                  message:
                                                                                                    'must be array,object,string,number,boolean,null',
                                                                                                },
                                                                                              ];
                                                                                            return false;
                                                                                          }
                                                                                          var valid3 =
                                                                                            _errs67 ===
                                                                                            errors;
                                                                                        } else {
                                                                                          var valid3 = true;
                                                                                        }
                                                                                        if (valid3) {
                                                                                          if (
                                                                                            data21.variables !==
                                                                                            void 0
                                                                                          ) {
                                                                                            let data34 =
                                                                                              data21.variables;
                                                                                            const _errs69 =
                                                                                              errors;
                                                                                            if (
                                                                                              typeof data34 !=
                                                                                                'object' &&
                                                                                              typeof data34 !==
                                                                                                'string' &&
                                                                                              !(
                                                                                                typeof data34 ==
                                                                                                  'number' &&
                                                                                                isFinite(
                                                                                                  data34,
                                                                                                )
                                                                                              ) &&
                                                                                              typeof data34 !==
                                                                                                'boolean'
                                                                                            ) {
                                                                                              validate45.errors =
                                                                                                [
                                                                                                  {
                                                                                                    instancePath:
                                                                                                      instancePath +
                                                                                                      '/' +
                                                                                                      i0 +
                                                                                                      '/urls/' +
                                                                                                      i1 +
                                                                                                      '/variables',
                                                                                                    schemaPath:
                                                                                                      '#/items/properties/urls/items/properties/variables/type',
                                                                                                    keyword:
                                                                                                      'type',
                                                                                                    params: {
                                                                                                      type: schema30
                                                                                                        .items
                                                                                                        .properties
                                                                                                        .urls
                                                                                                        .items
                                                                                                        .properties
                                                                                                        .variables
                                                                                                        .type,
                                                                                                    },
                                                                                                    message:
                                                                                                      'must be array,object,string,number,boolean,null',
                                                                                                  },
                                                                                                ];
                                                                                              return false;
                                                                                            }
                                                                                            var valid3 =
                                                                                              _errs69 ===
                                                                                              errors;
                                                                                          } else {
                                                                                            var valid3 = true;
                                                                                          }
                                                                                        }
                                                                                      }
                                                                                    }
                                                                                  }
                                                                                }
                                                                              }
                                                                            }
                                                                          }
                                                                        }
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                              } else {
                                                                validate45.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath + '/' + i0 + '/urls/' + i1,
                                                                    schemaPath:
                                                                      '#/items/properties/urls/items/type',
                                                                    keyword: 'type',
                                                                    params: { type: 'object' },
                                                                    message: 'must be object',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                            }
                                                            var valid2 = _errs43 === errors;
                                                            if (!valid2) {
                                                              break;
                                                            }
                                                          }
                                                        } else {
                                                          validate45.errors = [
                                                            {
                                                              instancePath: instancePath + '/' + i0 + '/urls',
                                                              schemaPath: '#/items/properties/urls/type',
                                                              keyword: 'type',
                                                              params: { type: 'array' },
                                                              message: 'must be array',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                      }
                                                      var valid1 = _errs41 === errors;
                                                    } else {
                                                      var valid1 = true;
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          } else {
            validate45.errors = [
              {
                instancePath: instancePath + '/' + i0,
                schemaPath: '#/items/type',
                keyword: 'type',
                params: { type: 'object' },
                message: 'must be object',
              },
            ];
            return false;
          }
        }
        var valid0 = _errs1 === errors;
        if (!valid0) {
          break;
        }
      }
    } else {
      validate45.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'array' },
          message: 'must be array',
        },
      ];
      return false;
    }
  }
  validate45.errors = vErrors;
  return errors === 0;
}
var validateTestRecord = validate46;
var schema31 = {
  type: 'object',
  required: ['test_id', 'urls'],
  properties: {
    test_id: { type: ['string', 'number'] },
    domain: { type: ['string', 'null'] },
    test_type: { type: ['string', 'null'] },
    status: { type: ['string', 'null'] },
    duration: { type: ['number', 'string', 'null'] },
    stages: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
    warmup: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
    initial: { type: ['number', 'string', 'null'] },
    total: { type: ['number', 'string', 'null'] },
    timeout: { type: ['number', 'string', 'null'] },
    error_threshold: { type: ['number', 'string', 'null'] },
    name: { type: ['string', 'null'] },
    notes: { type: ['string', 'null'] },
    callback: { type: ['string', 'null'] },
    callback_email: { type: ['string', 'null'] },
    scheduled_at: { type: ['string', 'null'] },
    tls_verify: { type: ['boolean', 'null'] },
    tag_names: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
    next_run_at: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
    progress: {
      type: 'object',
      required: [
        'elapsed_ms',
        'connections',
        'success',
        'error',
        'timeout_error',
        'network_error',
        'requests_per_second',
        'p95',
      ],
      properties: {
        elapsed_ms: { type: 'number' },
        warming_up: { type: 'boolean' },
        connections: { type: 'number' },
        success: { type: 'number' },
        error: { type: 'number' },
        timeout_error: { type: 'number' },
        network_error: { type: 'number' },
        requests_per_second: { type: 'number' },
        p95: { type: ['number', 'null'] },
      },
    },
    urls: {
      type: 'array',
      items: {
        type: 'object',
        required: ['url'],
        properties: {
          url: { type: 'string' },
          request_type: { type: ['string', 'null'] },
          authentication: { type: ['object', 'string', 'null'] },
          headers: { type: ['object', 'array', 'string', 'null'] },
          request_params: { type: ['object', 'array', 'string', 'null'] },
          raw_post_body: { type: ['string', 'null'] },
          payload_file_url: { type: ['string', 'null'] },
          payload_file: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
          expect: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
          raw_post_body_json: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
          delay: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
          variables: { type: ['array', 'object', 'string', 'number', 'boolean', 'null'] },
        },
      },
    },
  },
};
function validate46(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.test_id === void 0 && (missing0 = 'test_id')) ||
        (data.urls === void 0 && (missing0 = 'urls'))
      ) {
        validate46.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        if (data.test_id !== void 0) {
          let data0 = data.test_id;
          const _errs1 = errors;
          if (typeof data0 !== 'string' && !(typeof data0 == 'number' && isFinite(data0))) {
            validate46.errors = [
              {
                instancePath: instancePath + '/test_id',
                schemaPath: '#/properties/test_id/type',
                keyword: 'type',
                params: { type: schema31.properties.test_id.type },
                message: 'must be string,number',
              },
            ];
            return false;
          }
          var valid0 = _errs1 === errors;
        } else {
          var valid0 = true;
        }
        if (valid0) {
          if (data.domain !== void 0) {
            let data1 = data.domain;
            const _errs3 = errors;
            if (typeof data1 !== 'string' && data1 !== null) {
              validate46.errors = [
                {
                  instancePath: instancePath + '/domain',
                  schemaPath: '#/properties/domain/type',
                  keyword: 'type',
                  params: { type: schema31.properties.domain.type },
                  message: 'must be string,null',
                },
              ];
              return false;
            }
            var valid0 = _errs3 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.test_type !== void 0) {
              let data2 = data.test_type;
              const _errs5 = errors;
              if (typeof data2 !== 'string' && data2 !== null) {
                validate46.errors = [
                  {
                    instancePath: instancePath + '/test_type',
                    schemaPath: '#/properties/test_type/type',
                    keyword: 'type',
                    params: { type: schema31.properties.test_type.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              var valid0 = _errs5 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.status !== void 0) {
                let data3 = data.status;
                const _errs7 = errors;
                if (typeof data3 !== 'string' && data3 !== null) {
                  validate46.errors = [
                    {
                      instancePath: instancePath + '/status',
                      schemaPath: '#/properties/status/type',
                      keyword: 'type',
                      params: { type: schema31.properties.status.type },
                      message: 'must be string,null',
                    },
                  ];
                  return false;
                }
                var valid0 = _errs7 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.duration !== void 0) {
                  let data4 = data.duration;
                  const _errs9 = errors;
                  if (
                    !(typeof data4 == 'number' && isFinite(data4)) &&
                    typeof data4 !== 'string' &&
                    data4 !== null
                  ) {
                    validate46.errors = [
                      {
                        instancePath: instancePath + '/duration',
                        schemaPath: '#/properties/duration/type',
                        keyword: 'type',
                        params: { type: schema31.properties.duration.type },
                        message: 'must be number,string,null',
                      },
                    ];
                    return false;
                  }
                  var valid0 = _errs9 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.stages !== void 0) {
                    let data5 = data.stages;
                    const _errs11 = errors;
                    if (
                      typeof data5 != 'object' &&
                      typeof data5 !== 'string' &&
                      !(typeof data5 == 'number' && isFinite(data5)) &&
                      typeof data5 !== 'boolean'
                    ) {
                      validate46.errors = [
                        {
                          instancePath: instancePath + '/stages',
                          schemaPath: '#/properties/stages/type',
                          keyword: 'type',
                          params: { type: schema31.properties.stages.type },
                          message: 'must be array,object,string,number,boolean,null',
                        },
                      ];
                      return false;
                    }
                    var valid0 = _errs11 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.warmup !== void 0) {
                      let data6 = data.warmup;
                      const _errs13 = errors;
                      if (
                        typeof data6 != 'object' &&
                        typeof data6 !== 'string' &&
                        !(typeof data6 == 'number' && isFinite(data6)) &&
                        typeof data6 !== 'boolean'
                      ) {
                        validate46.errors = [
                          {
                            instancePath: instancePath + '/warmup',
                            schemaPath: '#/properties/warmup/type',
                            keyword: 'type',
                            params: { type: schema31.properties.warmup.type },
                            message: 'must be array,object,string,number,boolean,null',
                          },
                        ];
                        return false;
                      }
                      var valid0 = _errs13 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.initial !== void 0) {
                        let data7 = data.initial;
                        const _errs15 = errors;
                        if (
                          !(typeof data7 == 'number' && isFinite(data7)) &&
                          typeof data7 !== 'string' &&
                          data7 !== null
                        ) {
                          validate46.errors = [
                            {
                              instancePath: instancePath + '/initial',
                              schemaPath: '#/properties/initial/type',
                              keyword: 'type',
                              params: { type: schema31.properties.initial.type },
                              message: 'must be number,string,null',
                            },
                          ];
                          return false;
                        }
                        var valid0 = _errs15 === errors;
                      } else {
                        var valid0 = true;
                      }
                      if (valid0) {
                        if (data.total !== void 0) {
                          let data8 = data.total;
                          const _errs17 = errors;
                          if (
                            !(typeof data8 == 'number' && isFinite(data8)) &&
                            typeof data8 !== 'string' &&
                            data8 !== null
                          ) {
                            validate46.errors = [
                              {
                                instancePath: instancePath + '/total',
                                schemaPath: '#/properties/total/type',
                                keyword: 'type',
                                params: { type: schema31.properties.total.type },
                                message: 'must be number,string,null',
                              },
                            ];
                            return false;
                          }
                          var valid0 = _errs17 === errors;
                        } else {
                          var valid0 = true;
                        }
                        if (valid0) {
                          if (data.timeout !== void 0) {
                            let data9 = data.timeout;
                            const _errs19 = errors;
                            if (
                              !(typeof data9 == 'number' && isFinite(data9)) &&
                              typeof data9 !== 'string' &&
                              data9 !== null
                            ) {
                              validate46.errors = [
                                {
                                  instancePath: instancePath + '/timeout',
                                  schemaPath: '#/properties/timeout/type',
                                  keyword: 'type',
                                  params: { type: schema31.properties.timeout.type },
                                  message: 'must be number,string,null',
                                },
                              ];
                              return false;
                            }
                            var valid0 = _errs19 === errors;
                          } else {
                            var valid0 = true;
                          }
                          if (valid0) {
                            if (data.error_threshold !== void 0) {
                              let data10 = data.error_threshold;
                              const _errs21 = errors;
                              if (
                                !(typeof data10 == 'number' && isFinite(data10)) &&
                                typeof data10 !== 'string' &&
                                data10 !== null
                              ) {
                                validate46.errors = [
                                  {
                                    instancePath: instancePath + '/error_threshold',
                                    schemaPath: '#/properties/error_threshold/type',
                                    keyword: 'type',
                                    params: { type: schema31.properties.error_threshold.type },
                                    message: 'must be number,string,null',
                                  },
                                ];
                                return false;
                              }
                              var valid0 = _errs21 === errors;
                            } else {
                              var valid0 = true;
                            }
                            if (valid0) {
                              if (data.name !== void 0) {
                                let data11 = data.name;
                                const _errs23 = errors;
                                if (typeof data11 !== 'string' && data11 !== null) {
                                  validate46.errors = [
                                    {
                                      instancePath: instancePath + '/name',
                                      schemaPath: '#/properties/name/type',
                                      keyword: 'type',
                                      params: { type: schema31.properties.name.type },
                                      message: 'must be string,null',
                                    },
                                  ];
                                  return false;
                                }
                                var valid0 = _errs23 === errors;
                              } else {
                                var valid0 = true;
                              }
                              if (valid0) {
                                if (data.notes !== void 0) {
                                  let data12 = data.notes;
                                  const _errs25 = errors;
                                  if (typeof data12 !== 'string' && data12 !== null) {
                                    validate46.errors = [
                                      {
                                        instancePath: instancePath + '/notes',
                                        schemaPath: '#/properties/notes/type',
                                        keyword: 'type',
                                        params: { type: schema31.properties.notes.type },
                                        message: 'must be string,null',
                                      },
                                    ];
                                    return false;
                                  }
                                  var valid0 = _errs25 === errors;
                                } else {
                                  var valid0 = true;
                                }
                                if (valid0) {
                                  if (data.callback !== void 0) {
                                    let data13 = data.callback;
                                    const _errs27 = errors;
                                    if (typeof data13 !== 'string' && data13 !== null) {
                                      validate46.errors = [
                                        {
                                          instancePath: instancePath + '/callback',
                                          schemaPath: '#/properties/callback/type',
                                          keyword: 'type',
                                          params: { type: schema31.properties.callback.type },
                                          message: 'must be string,null',
                                        },
                                      ];
                                      return false;
                                    }
                                    var valid0 = _errs27 === errors;
                                  } else {
                                    var valid0 = true;
                                  }
                                  if (valid0) {
                                    if (data.callback_email !== void 0) {
                                      let data14 = data.callback_email;
                                      const _errs29 = errors;
                                      if (typeof data14 !== 'string' && data14 !== null) {
                                        validate46.errors = [
                                          {
                                            instancePath: instancePath + '/callback_email',
                                            schemaPath: '#/properties/callback_email/type',
                                            keyword: 'type',
                                            params: { type: schema31.properties.callback_email.type },
                                            message: 'must be string,null',
                                          },
                                        ];
                                        return false;
                                      }
                                      var valid0 = _errs29 === errors;
                                    } else {
                                      var valid0 = true;
                                    }
                                    if (valid0) {
                                      if (data.scheduled_at !== void 0) {
                                        let data15 = data.scheduled_at;
                                        const _errs31 = errors;
                                        if (typeof data15 !== 'string' && data15 !== null) {
                                          validate46.errors = [
                                            {
                                              instancePath: instancePath + '/scheduled_at',
                                              schemaPath: '#/properties/scheduled_at/type',
                                              keyword: 'type',
                                              params: { type: schema31.properties.scheduled_at.type },
                                              message: 'must be string,null',
                                            },
                                          ];
                                          return false;
                                        }
                                        var valid0 = _errs31 === errors;
                                      } else {
                                        var valid0 = true;
                                      }
                                      if (valid0) {
                                        if (data.tls_verify !== void 0) {
                                          let data16 = data.tls_verify;
                                          const _errs33 = errors;
                                          if (typeof data16 !== 'boolean' && data16 !== null) {
                                            validate46.errors = [
                                              {
                                                instancePath: instancePath + '/tls_verify',
                                                schemaPath: '#/properties/tls_verify/type',
                                                keyword: 'type',
                                                params: { type: schema31.properties.tls_verify.type },
                                                message: 'must be boolean,null',
                                              },
                                            ];
                                            return false;
                                          }
                                          var valid0 = _errs33 === errors;
                                        } else {
                                          var valid0 = true;
                                        }
                                        if (valid0) {
                                          if (data.tag_names !== void 0) {
                                            let data17 = data.tag_names;
                                            const _errs35 = errors;
                                            if (
                                              typeof data17 != 'object' &&
                                              typeof data17 !== 'string' &&
                                              !(typeof data17 == 'number' && isFinite(data17)) &&
                                              typeof data17 !== 'boolean'
                                            ) {
                                              validate46.errors = [
                                                {
                                                  instancePath: instancePath + '/tag_names',
                                                  schemaPath: '#/properties/tag_names/type',
                                                  keyword: 'type',
                                                  params: { type: schema31.properties.tag_names.type },
                                                  message: 'must be array,object,string,number,boolean,null',
                                                },
                                              ];
                                              return false;
                                            }
                                            var valid0 = _errs35 === errors;
                                          } else {
                                            var valid0 = true;
                                          }
                                          if (valid0) {
                                            if (data.next_run_at !== void 0) {
                                              let data18 = data.next_run_at;
                                              const _errs37 = errors;
                                              if (
                                                typeof data18 != 'object' &&
                                                typeof data18 !== 'string' &&
                                                !(typeof data18 == 'number' && isFinite(data18)) &&
                                                typeof data18 !== 'boolean'
                                              ) {
                                                validate46.errors = [
                                                  {
                                                    instancePath: instancePath + '/next_run_at',
                                                    schemaPath: '#/properties/next_run_at/type',
                                                    keyword: 'type',
                                                    params: { type: schema31.properties.next_run_at.type },
                                                    message:
                                                      'must be array,object,string,number,boolean,null',
                                                  },
                                                ];
                                                return false;
                                              }
                                              var valid0 = _errs37 === errors;
                                            } else {
                                              var valid0 = true;
                                            }
                                            if (valid0) {
                                              if (data.progress !== void 0) {
                                                let data19 = data.progress;
                                                const _errs39 = errors;
                                                if (errors === _errs39) {
                                                  if (
                                                    data19 &&
                                                    typeof data19 == 'object' &&
                                                    !Array.isArray(data19)
                                                  ) {
                                                    let missing1;
                                                    if (
                                                      (data19.elapsed_ms === void 0 &&
                                                        (missing1 = 'elapsed_ms')) ||
                                                      (data19.connections === void 0 &&
                                                        (missing1 = 'connections')) ||
                                                      (data19.success === void 0 && (missing1 = 'success')) ||
                                                      (data19.error === void 0 && (missing1 = 'error')) ||
                                                      (data19.timeout_error === void 0 &&
                                                        (missing1 = 'timeout_error')) ||
                                                      (data19.network_error === void 0 &&
                                                        (missing1 = 'network_error')) ||
                                                      (data19.requests_per_second === void 0 &&
                                                        (missing1 = 'requests_per_second')) ||
                                                      (data19.p95 === void 0 && (missing1 = 'p95'))
                                                    ) {
                                                      validate46.errors = [
                                                        {
                                                          instancePath: instancePath + '/progress',
                                                          schemaPath: '#/properties/progress/required',
                                                          keyword: 'required',
                                                          params: { missingProperty: missing1 },
                                                          message:
                                                            "must have required property '" + missing1 + "'",
                                                        },
                                                      ];
                                                      return false;
                                                    } else {
                                                      if (data19.elapsed_ms !== void 0) {
                                                        let data20 = data19.elapsed_ms;
                                                        const _errs41 = errors;
                                                        if (!(
                                                          typeof data20 == 'number' && isFinite(data20)
                                                        )) {
                                                          validate46.errors = [
                                                            {
                                                              instancePath:
                                                                instancePath + '/progress/elapsed_ms',
                                                              schemaPath:
                                                                '#/properties/progress/properties/elapsed_ms/type',
                                                              keyword: 'type',
                                                              params: { type: 'number' },
                                                              message: 'must be number',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                        var valid1 = _errs41 === errors;
                                                      } else {
                                                        var valid1 = true;
                                                      }
                                                      if (valid1) {
                                                        if (data19.warming_up !== void 0) {
                                                          const _errs43 = errors;
                                                          if (typeof data19.warming_up !== 'boolean') {
                                                            validate46.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath + '/progress/warming_up',
                                                                schemaPath:
                                                                  '#/properties/progress/properties/warming_up/type',
                                                                keyword: 'type',
                                                                params: { type: 'boolean' },
                                                                message: 'must be boolean',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                          var valid1 = _errs43 === errors;
                                                        } else {
                                                          var valid1 = true;
                                                        }
                                                        if (valid1) {
                                                          if (data19.connections !== void 0) {
                                                            let data22 = data19.connections;
                                                            const _errs45 = errors;
                                                            if (!(
                                                              typeof data22 == 'number' && isFinite(data22)
                                                            )) {
                                                              validate46.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath + '/progress/connections',
                                                                  schemaPath:
                                                                    '#/properties/progress/properties/connections/type',
                                                                  keyword: 'type',
                                                                  params: { type: 'number' },
                                                                  message: 'must be number',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                            var valid1 = _errs45 === errors;
                                                          } else {
                                                            var valid1 = true;
                                                          }
                                                          if (valid1) {
                                                            if (data19.success !== void 0) {
                                                              let data23 = data19.success;
                                                              const _errs47 = errors;
                                                              if (!(
                                                                typeof data23 == 'number' && isFinite(data23)
                                                              )) {
                                                                validate46.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath + '/progress/success',
                                                                    schemaPath:
                                                                      '#/properties/progress/properties/success/type',
                                                                    keyword: 'type',
                                                                    params: { type: 'number' },
                                                                    message: 'must be number',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                              var valid1 = _errs47 === errors;
                                                            } else {
                                                              var valid1 = true;
                                                            }
                                                            if (valid1) {
                                                              if (data19.error !== void 0) {
                                                                let data24 = data19.error;
                                                                const _errs49 = errors;
                                                                if (!(
                                                                  typeof data24 == 'number' &&
                                                                  isFinite(data24)
                                                                )) {
                                                                  validate46.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath + '/progress/error',
                                                                      schemaPath:
                                                                        '#/properties/progress/properties/error/type',
                                                                      keyword: 'type',
                                                                      params: { type: 'number' },
                                                                      message: 'must be number',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                                var valid1 = _errs49 === errors;
                                                              } else {
                                                                var valid1 = true;
                                                              }
                                                              if (valid1) {
                                                                if (data19.timeout_error !== void 0) {
                                                                  let data25 = data19.timeout_error;
                                                                  const _errs51 = errors;
                                                                  if (!(
                                                                    typeof data25 == 'number' &&
                                                                    isFinite(data25)
                                                                  )) {
                                                                    validate46.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/progress/timeout_error',
                                                                        schemaPath:
                                                                          '#/properties/progress/properties/timeout_error/type',
                                                                        keyword: 'type',
                                                                        params: { type: 'number' },
                                                                        message: 'must be number',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                  var valid1 = _errs51 === errors;
                                                                } else {
                                                                  var valid1 = true;
                                                                }
                                                                if (valid1) {
                                                                  if (data19.network_error !== void 0) {
                                                                    let data26 = data19.network_error;
                                                                    const _errs53 = errors;
                                                                    if (!(
                                                                      typeof data26 == 'number' &&
                                                                      isFinite(data26)
                                                                    )) {
                                                                      validate46.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/progress/network_error',
                                                                          schemaPath:
                                                                            '#/properties/progress/properties/network_error/type',
                                                                          keyword: 'type',
                                                                          params: { type: 'number' },
                                                                          message: 'must be number',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                    var valid1 = _errs53 === errors;
                                                                  } else {
                                                                    var valid1 = true;
                                                                  }
                                                                  if (valid1) {
                                                                    if (
                                                                      data19.requests_per_second !== void 0
                                                                    ) {
                                                                      let data27 = data19.requests_per_second;
                                                                      const _errs55 = errors;
                                                                      if (!(
                                                                        typeof data27 == 'number' &&
                                                                        isFinite(data27)
                                                                      )) {
                                                                        validate46.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/progress/requests_per_second',
                                                                            schemaPath:
                                                                              '#/properties/progress/properties/requests_per_second/type',
                                                                            keyword: 'type',
                                                                            params: { type: 'number' },
                                                                            message: 'must be number',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                      var valid1 = _errs55 === errors;
                                                                    } else {
                                                                      var valid1 = true;
                                                                    }
                                                                    if (valid1) {
                                                                      if (data19.p95 !== void 0) {
                                                                        let data28 = data19.p95;
                                                                        const _errs57 = errors;
                                                                        if (
                                                                          !(
                                                                            typeof data28 == 'number' &&
                                                                            isFinite(data28)
                                                                          ) &&
                                                                          data28 !== null
                                                                        ) {
                                                                          validate46.errors = [
                                                                            {
                                                                              instancePath:
                                                                                instancePath +
                                                                                '/progress/p95',
                                                                              schemaPath:
                                                                                '#/properties/progress/properties/p95/type',
                                                                              keyword: 'type',
                                                                              params: {
                                                                                type: schema31.properties
                                                                                  .progress.properties.p95
                                                                                  .type,
                                                                              },
                                                                              message: 'must be number,null',
                                                                            },
                                                                          ];
                                                                          return false;
                                                                        }
                                                                        var valid1 = _errs57 === errors;
                                                                      } else {
                                                                        var valid1 = true;
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  } else {
                                                    validate46.errors = [
                                                      {
                                                        instancePath: instancePath + '/progress',
                                                        schemaPath: '#/properties/progress/type',
                                                        keyword: 'type',
                                                        params: { type: 'object' },
                                                        message: 'must be object',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                }
                                                var valid0 = _errs39 === errors;
                                              } else {
                                                var valid0 = true;
                                              }
                                              if (valid0) {
                                                if (data.urls !== void 0) {
                                                  let data29 = data.urls;
                                                  const _errs59 = errors;
                                                  if (errors === _errs59) {
                                                    if (Array.isArray(data29)) {
                                                      var valid2 = true;
                                                      const len0 = data29.length;
                                                      for (let i0 = 0; i0 < len0; i0++) {
                                                        let data30 = data29[i0];
                                                        const _errs61 = errors;
                                                        if (errors === _errs61) {
                                                          if (
                                                            data30 &&
                                                            typeof data30 == 'object' &&
                                                            !Array.isArray(data30)
                                                          ) {
                                                            let missing2;
                                                            if (data30.url === void 0 && (missing2 = 'url')) {
                                                              validate46.errors = [
                                                                {
                                                                  instancePath: instancePath + '/urls/' + i0,
                                                                  schemaPath:
                                                                    '#/properties/urls/items/required',
                                                                  keyword: 'required',
                                                                  params: { missingProperty: missing2 },
                                                                  message:
                                                                    "must have required property '" +
                                                                    missing2 +
                                                                    "'",
                                                                },
                                                              ];
                                                              return false;
                                                            } else {
                                                              if (data30.url !== void 0) {
                                                                const _errs63 = errors;
                                                                if (typeof data30.url !== 'string') {
                                                                  validate46.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath + '/urls/' + i0 + '/url',
                                                                      schemaPath:
                                                                        '#/properties/urls/items/properties/url/type',
                                                                      keyword: 'type',
                                                                      params: { type: 'string' },
                                                                      message: 'must be string',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                                var valid3 = _errs63 === errors;
                                                              } else {
                                                                var valid3 = true;
                                                              }
                                                              if (valid3) {
                                                                if (data30.request_type !== void 0) {
                                                                  let data32 = data30.request_type;
                                                                  const _errs65 = errors;
                                                                  if (
                                                                    typeof data32 !== 'string' &&
                                                                    data32 !== null
                                                                  ) {
                                                                    validate46.errors = [
                                                                      {
                                                                        instancePath:
                                                                          instancePath +
                                                                          '/urls/' +
                                                                          i0 +
                                                                          '/request_type',
                                                                        schemaPath:
                                                                          '#/properties/urls/items/properties/request_type/type',
                                                                        keyword: 'type',
                                                                        params: {
                                                                          type: schema31.properties.urls.items
                                                                            .properties.request_type.type,
                                                                        },
                                                                        message: 'must be string,null',
                                                                      },
                                                                    ];
                                                                    return false;
                                                                  }
                                                                  var valid3 = _errs65 === errors;
                                                                } else {
                                                                  var valid3 = true;
                                                                }
                                                                if (valid3) {
                                                                  if (data30.authentication !== void 0) {
                                                                    let data33 = data30.authentication;
                                                                    const _errs67 = errors;
                                                                    if (
                                                                      !(
                                                                        data33 &&
                                                                        typeof data33 == 'object' &&
                                                                        !Array.isArray(data33)
                                                                      ) &&
                                                                      typeof data33 !== 'string' &&
                                                                      data33 !== null
                                                                    ) {
                                                                      validate46.errors = [
                                                                        {
                                                                          instancePath:
                                                                            instancePath +
                                                                            '/urls/' +
                                                                            i0 +
                                                                            '/authentication',
                                                                          schemaPath:
                                                                            '#/properties/urls/items/properties/authentication/type',
                                                                          keyword: 'type',
                                                                          params: {
                                                                            type: schema31.properties.urls
                                                                              .items.properties.authentication
                                                                              .type,
                                                                          },
                                                                          message:
                                                                            'must be object,string,null',
                                                                        },
                                                                      ];
                                                                      return false;
                                                                    }
                                                                    var valid3 = _errs67 === errors;
                                                                  } else {
                                                                    var valid3 = true;
                                                                  }
                                                                  if (valid3) {
                                                                    if (data30.headers !== void 0) {
                                                                      let data34 = data30.headers;
                                                                      const _errs69 = errors;
                                                                      if (
                                                                        typeof data34 != 'object' &&
                                                                        typeof data34 !== 'string'
                                                                      ) {
                                                                        validate46.errors = [
                                                                          {
                                                                            instancePath:
                                                                              instancePath +
                                                                              '/urls/' +
                                                                              i0 +
                                                                              '/headers',
                                                                            schemaPath:
                                                                              '#/properties/urls/items/properties/headers/type',
                                                                            keyword: 'type',
                                                                            params: {
                                                                              type: schema31.properties.urls
                                                                                .items.properties.headers
                                                                                .type,
                                                                            },
                                                                            message:
                                                                              'must be object,array,string,null',
                                                                          },
                                                                        ];
                                                                        return false;
                                                                      }
                                                                      var valid3 = _errs69 === errors;
                                                                    } else {
                                                                      var valid3 = true;
                                                                    }
                                                                    if (valid3) {
                                                                      if (data30.request_params !== void 0) {
                                                                        let data35 = data30.request_params;
                                                                        const _errs71 = errors;
                                                                        if (
                                                                          typeof data35 != 'object' &&
                                                                          typeof data35 !== 'string'
                                                                        ) {
                                                                          validate46.errors = [
                                                                            {
                                                                              instancePath:
                                                                                instancePath +
                                                                                '/urls/' +
                                                                                i0 +
                                                                                '/request_params',
                                                                              schemaPath:
                                                                                '#/properties/urls/items/properties/request_params/type',
                                                                              keyword: 'type',
                                                                              params: {
                                                                                type: schema31.properties.urls
                                                                                  .items.properties
                                                                                  .request_params.type,
                                                                              },
                                                                              message:
                                                                                'must be object,array,string,null',
                                                                            },
                                                                          ];
                                                                          return false;
                                                                        }
                                                                        var valid3 = _errs71 === errors;
                                                                      } else {
                                                                        var valid3 = true;
                                                                      }
                                                                      if (valid3) {
                                                                        if (data30.raw_post_body !== void 0) {
                                                                          let data36 = data30.raw_post_body;
                                                                          const _errs73 = errors;
                                                                          if (
                                                                            typeof data36 !== 'string' &&
                                                                            data36 !== null
                                                                          ) {
                                                                            validate46.errors = [
                                                                              {
                                                                                instancePath:
                                                                                  instancePath +
                                                                                  '/urls/' +
                                                                                  i0 +
                                                                                  '/raw_post_body',
                                                                                schemaPath:
                                                                                  '#/properties/urls/items/properties/raw_post_body/type',
                                                                                keyword: 'type',
                                                                                params: {
                                                                                  type: schema31.properties
                                                                                    .urls.items.properties
                                                                                    .raw_post_body.type,
                                                                                },
                                                                                message:
                                                                                  'must be string,null',
                                                                              },
                                                                            ];
                                                                            return false;
                                                                          }
                                                                          var valid3 = _errs73 === errors;
                                                                        } else {
                                                                          var valid3 = true;
                                                                        }
                                                                        if (valid3) {
                                                                          if (
                                                                            data30.payload_file_url !== void 0
                                                                          ) {
                                                                            let data37 =
                                                                              data30.payload_file_url;
                                                                            const _errs75 = errors;
                                                                            if (
                                                                              typeof data37 !== 'string' &&
                                                                              data37 !== null
                                                                            ) {
                                                                              validate46.errors = [
                                                                                {
                                                                                  instancePath:
                                                                                    instancePath +
                                                                                    '/urls/' +
                                                                                    i0 +
                                                                                    '/payload_file_url',
                                                                                  schemaPath:
                                                                                    '#/properties/urls/items/properties/payload_file_url/type',
                                                                                  keyword: 'type',
                                                                                  params: {
                                                                                    type: schema31.properties
                                                                                      .urls.items.properties
                                                                                      .payload_file_url.type,
                                                                                  },
                                                                                  message:
                                                                                    'must be string,null',
                                                                                },
                                                                              ];
                                                                              return false;
                                                                            }
                                                                            var valid3 = _errs75 === errors;
                                                                          } else {
                                                                            var valid3 = true;
                                                                          }
                                                                          if (valid3) {
                                                                            if (
                                                                              data30.payload_file !== void 0
                                                                            ) {
                                                                              let data38 =
                                                                                data30.payload_file;
                                                                              const _errs77 = errors;
                                                                              if (
                                                                                typeof data38 != 'object' &&
                                                                                typeof data38 !== 'string' &&
                                                                                !(
                                                                                  typeof data38 == 'number' &&
                                                                                  isFinite(data38)
                                                                                ) &&
                                                                                typeof data38 !== 'boolean'
                                                                              ) {
                                                                                validate46.errors = [
                                                                                  {
                                                                                    instancePath:
                                                                                      instancePath +
                                                                                      '/urls/' +
                                                                                      i0 +
                                                                                      '/payload_file',
                                                                                    schemaPath:
                                                                                      '#/properties/urls/items/properties/payload_file/type',
                                                                                    keyword: 'type',
                                                                                    params: {
                                                                                      type: schema31
                                                                                        .properties.urls.items
                                                                                        .properties
                                                                                        .payload_file.type,
                                                                                    },
                                                                                    message:
                                                                                      'must be array,object,string,number,boolean,null',
                                                                                  },
                                                                                ];
                                                                                return false;
                                                                              }
                                                                              var valid3 = _errs77 === errors;
                                                                            } else {
                                                                              var valid3 = true;
                                                                            }
                                                                            if (valid3) {
                                                                              if (data30.expect !== void 0) {
                                                                                let data39 = data30.expect;
                                                                                const _errs79 = errors;
                                                                                if (
                                                                                  typeof data39 != 'object' &&
                                                                                  typeof data39 !==
                                                                                    'string' &&
                                                                                  !(
                                                                                    typeof data39 ==
                                                                                      'number' &&
                                                                                    isFinite(data39)
                                                                                  ) &&
                                                                                  typeof data39 !== 'boolean'
                                                                                ) {
                                                                                  validate46.errors = [
                                                                                    {
                                                                                      instancePath:
                                                                                        instancePath +
                                                                                        '/urls/' +
                                                                                        i0 +
                                                                                        '/expect',
                                                                                      schemaPath:
                                                                                        '#/properties/urls/items/properties/expect/type',
                                                                                      keyword: 'type',
                                                                                      params: {
                                                                                        type: schema31
                                                                                          .properties.urls
                                                                                          .items.properties
                                                                                          .expect.type,
                                                                                      },
                                                                                      message:
                                                                                        'must be array,object,string,number,boolean,null',
                                                                                    },
                                                                                  ];
                                                                                  return false;
                                                                                }
                                                                                var valid3 =
                                                                                  _errs79 === errors;
                                                                              } else {
                                                                                var valid3 = true;
                                                                              }
                                                                              if (valid3) {
                                                                                if (
                                                                                  data30.raw_post_body_json !==
                                                                                  void 0
                                                                                ) {
                                                                                  let data40 =
                                                                                    data30.raw_post_body_json;
                                                                                  const _errs81 = errors;
                                                                                  if (
                                                                                    typeof data40 !=
                                                                                      'object' &&
                                                                                    typeof data40 !==
                                                                                      'string' &&
                                                                                    !(
                                                                                      typeof data40 ==
                                                                                        'number' &&
                                                                                      isFinite(data40)
                                                                                    ) &&
                                                                                    typeof data40 !==
                                                                                      'boolean'
                                                                                  ) {
                                                                                    validate46.errors = [
                                                                                      {
                                                                                        instancePath:
                                                                                          instancePath +
                                                                                          '/urls/' +
                                                                                          i0 +
                                                                                          '/raw_post_body_json',
                                                                                        schemaPath:
                                                                                          '#/properties/urls/items/properties/raw_post_body_json/type',
                                                                                        keyword: 'type',
                                                                                        params: {
                                                                                          type: schema31
                                                                                            .properties.urls
                                                                                            .items.properties
                                                                                            .raw_post_body_json
                                                                                            .type,
                                                                                        },
                                                                                        message:
                                                                                          'must be array,object,string,number,boolean,null',
                                                                                      },
                                                                                    ];
                                                                                    return false;
                                                                                  }
                                                                                  var valid3 =
                                                                                    _errs81 === errors;
                                                                                } else {
                                                                                  var valid3 = true;
                                                                                }
                                                                                if (valid3) {
                                                                                  if (
                                                                                    data30.delay !== void 0
                                                                                  ) {
                                                                                    let data41 = data30.delay;
                                                                                    const _errs83 = errors;
                                                                                    if (
                                                                                      typeof data41 !=
                                                                                        'object' &&
                                                                                      typeof data41 !==
                                                                                        'string' &&
                                                                                      !(
                                                                                        typeof data41 ==
                                                                                          'number' &&
                                                                                        isFinite(data41)
                                                                                      ) &&
                                                                                      typeof data41 !==
                                                                                        'boolean'
                                                                                    ) {
                                                                                      validate46.errors = [
                                                                                        {
                                                                                          instancePath:
                                                                                            instancePath +
                                                                                            '/urls/' +
                                                                                            i0 +
                                                                                            '/delay',
                                                                                          schemaPath:
                                                                                            '#/properties/urls/items/properties/delay/type',
                                                                                          keyword: 'type',
                                                                                          params: {
                                                                                            type: schema31
                                                                                              .properties.urls
                                                                                              .items
                                                                                              .properties
                                                                                              .delay.type,
                                                                                          },
                                                                                          message:
                                                                                            'must be array,object,string,number,boolean,null',
                                                                                        },
                                                                                      ];
                                                                                      return false;
                                                                                    }
                                                                                    var valid3 =
                                                                                      _errs83 === errors;
                                                                                  } else {
                                                                                    var valid3 = true;
                                                                                  }
                                                                                  if (valid3) {
                                                                                    if (
                                                                                      data30.variables !==
                                                                                      void 0
                                                                                    ) {
                                                                                      let data42 =
                                                                                        data30.variables;
                                                                                      const _errs85 = errors;
                                                                                      if (
                                                                                        typeof data42 !=
                                                                                          'object' &&
                                                                                        typeof data42 !==
                                                                                          'string' &&
                                                                                        !(
                                                                                          typeof data42 ==
                                                                                            'number' &&
                                                                                          isFinite(data42)
                                                                                        ) &&
                                                                                        typeof data42 !==
                                                                                          'boolean'
                                                                                      ) {
                                                                                        validate46.errors = [
                                                                                          {
                                                                                            instancePath:
                                                                                              instancePath +
                                                                                              '/urls/' +
                                                                                              i0 +
                                                                                              '/variables',
                                                                                            schemaPath:
                                                                                              '#/properties/urls/items/properties/variables/type',
                                                                                            keyword: 'type',
                                                                                            params: {
                                                                                              type: schema31
                                                                                                .properties
                                                                                                .urls.items
                                                                                                .properties
                                                                                                .variables
                                                                                                .type,
                                                                                            },
                                                                                            message:
                                                                                              'must be array,object,string,number,boolean,null',
                                                                                          },
                                                                                        ];
                                                                                        return false;
                                                                                      }
                                                                                      var valid3 =
                                                                                        _errs85 === errors;
                                                                                    } else {
                                                                                      var valid3 = true;
                                                                                    }
                                                                                  }
                                                                                }
                                                                              }
                                                                            }
                                                                          }
                                                                        }
                                                                      }
                                                                    }
                                                                  }
                                                                }
                                                              }
                                                            }
                                                          } else {
                                                            validate46.errors = [
                                                              {
                                                                instancePath: instancePath + '/urls/' + i0,
                                                                schemaPath: '#/properties/urls/items/type',
                                                                keyword: 'type',
                                                                params: { type: 'object' },
                                                                message: 'must be object',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                        }
                                                        var valid2 = _errs61 === errors;
                                                        if (!valid2) {
                                                          break;
                                                        }
                                                      }
                                                    } else {
                                                      validate46.errors = [
                                                        {
                                                          instancePath: instancePath + '/urls',
                                                          schemaPath: '#/properties/urls/type',
                                                          keyword: 'type',
                                                          params: { type: 'array' },
                                                          message: 'must be array',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  }
                                                  var valid0 = _errs59 === errors;
                                                } else {
                                                  var valid0 = true;
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate46.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate46.errors = vErrors;
  return errors === 0;
}
var validateVerifyRequest = validate47;
function validate47(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      const _errs1 = errors;
      for (const key0 in data) {
        if (!(key0 === 'method')) {
          validate47.errors = [
            {
              instancePath,
              schemaPath: '#/additionalProperties',
              keyword: 'additionalProperties',
              params: { additionalProperty: key0 },
              message: 'must NOT have additional properties',
            },
          ];
          return false;
          break;
        }
      }
      if (_errs1 === errors) {
        if (data.method !== void 0) {
          let data0 = data.method;
          const _errs2 = errors;
          if (errors === _errs2) {
            if (typeof data0 === 'string') {
              if (func2(data0) > 40) {
                validate47.errors = [
                  {
                    instancePath: instancePath + '/method',
                    schemaPath: '#/properties/method/maxLength',
                    keyword: 'maxLength',
                    params: { limit: 40 },
                    message: 'must NOT have more than 40 characters',
                  },
                ];
                return false;
              }
            } else {
              validate47.errors = [
                {
                  instancePath: instancePath + '/method',
                  schemaPath: '#/properties/method/type',
                  keyword: 'type',
                  params: { type: 'string' },
                  message: 'must be string',
                },
              ];
              return false;
            }
          }
        }
      }
    } else {
      validate47.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate47.errors = vErrors;
  return errors === 0;
}
var validateBaselineFile = validate48;
var pattern5 = new RegExp('^[A-Za-z0-9_.-]{1,64}$', 'u');
var pattern6 = new RegExp('^[0-9a-f.]{8,64}$', 'u');
var schema34 = {
  type: 'object',
  additionalProperties: false,
  required: [
    'result_id',
    'started_at',
    'machine',
    'figures',
    'bounds',
    'latency_histogram',
    'latency_low_histogram',
  ],
  properties: {
    result_id: { type: 'string', minLength: 1, maxLength: 200 },
    started_at: { type: ['string', 'null'], maxLength: 40 },
    machine: { anyOf: [{ $ref: '#/definitions/BaselineMachine' }, { type: 'null' }] },
    figures: {
      type: 'object',
      additionalProperties: false,
      properties: {
        error_rate: { type: 'number', minimum: 0 },
        success_rate: { type: 'number', minimum: 0 },
        avg_response_time: { type: 'number', minimum: 0 },
        min: { type: 'number', minimum: 0 },
        max: { type: 'number', minimum: 0 },
        p50: { type: 'number', minimum: 0 },
        p75: { type: 'number', minimum: 0 },
        p90: { type: 'number', minimum: 0 },
        p95: { type: 'number', minimum: 0 },
        p99: { type: 'number', minimum: 0 },
        'p99.9': { type: 'number', minimum: 0 },
        requests: { type: 'number', minimum: 0 },
        requests_per_second: { type: 'number', minimum: 0 },
        success: { type: 'number', minimum: 0 },
        error: { type: 'number', minimum: 0 },
        timeout_error: { type: 'number', minimum: 0 },
        network_error: { type: 'number', minimum: 0 },
        data_received: { type: 'number', minimum: 0 },
      },
    },
    bounds: {
      anyOf: [
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            error_rate: { $ref: '#/definitions/BaselineBounds' },
            success_rate: { $ref: '#/definitions/BaselineBounds' },
            avg_response_time: { $ref: '#/definitions/BaselineBounds' },
            min: { $ref: '#/definitions/BaselineBounds' },
            max: { $ref: '#/definitions/BaselineBounds' },
            p50: { $ref: '#/definitions/BaselineBounds' },
            p75: { $ref: '#/definitions/BaselineBounds' },
            p90: { $ref: '#/definitions/BaselineBounds' },
            p95: { $ref: '#/definitions/BaselineBounds' },
            p99: { $ref: '#/definitions/BaselineBounds' },
            'p99.9': { $ref: '#/definitions/BaselineBounds' },
            requests: { $ref: '#/definitions/BaselineBounds' },
            requests_per_second: { $ref: '#/definitions/BaselineBounds' },
            success: { $ref: '#/definitions/BaselineBounds' },
            error: { $ref: '#/definitions/BaselineBounds' },
            timeout_error: { $ref: '#/definitions/BaselineBounds' },
            network_error: { $ref: '#/definitions/BaselineBounds' },
            data_received: { $ref: '#/definitions/BaselineBounds' },
          },
        },
        { type: 'null' },
      ],
    },
    latency_histogram: { anyOf: [{ $ref: '#/definitions/BaselineHistogram' }, { type: 'null' }] },
    latency_low_histogram: { anyOf: [{ $ref: '#/definitions/BaselineHistogram' }, { type: 'null' }] },
  },
};
var schema35 = {
  type: 'object',
  additionalProperties: false,
  required: ['cores', 'threads', 'node', 'measuring', 'version'],
  properties: {
    cores: { type: 'number', minimum: 0 },
    threads: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
    node: { type: 'string', maxLength: 40 },
    measuring: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
    version: { type: ['string', 'null'], maxLength: 40 },
  },
};
function validate50(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.cores === void 0 && (missing0 = 'cores')) ||
        (data.threads === void 0 && (missing0 = 'threads')) ||
        (data.node === void 0 && (missing0 = 'node')) ||
        (data.measuring === void 0 && (missing0 = 'measuring')) ||
        (data.version === void 0 && (missing0 = 'version'))
      ) {
        validate50.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(
            key0 === 'cores' ||
            key0 === 'threads' ||
            key0 === 'node' ||
            key0 === 'measuring' ||
            key0 === 'version'
          )) {
            validate50.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.cores !== void 0) {
            let data0 = data.cores;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 == 'number' && isFinite(data0)) {
                if (data0 < 0 || isNaN(data0)) {
                  validate50.errors = [
                    {
                      instancePath: instancePath + '/cores',
                      schemaPath: '#/properties/cores/minimum',
                      keyword: 'minimum',
                      params: { comparison: '>=', limit: 0 },
                      message: 'must be >= 0',
                    },
                  ];
                  return false;
                }
              } else {
                validate50.errors = [
                  {
                    instancePath: instancePath + '/cores',
                    schemaPath: '#/properties/cores/type',
                    keyword: 'type',
                    params: { type: 'number' },
                    message: 'must be number',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.threads !== void 0) {
              let data1 = data.threads;
              const _errs4 = errors;
              if (!(typeof data1 == 'number' && !(data1 % 1) && !isNaN(data1) && isFinite(data1))) {
                validate50.errors = [
                  {
                    instancePath: instancePath + '/threads',
                    schemaPath: '#/properties/threads/type',
                    keyword: 'type',
                    params: { type: 'integer' },
                    message: 'must be integer',
                  },
                ];
                return false;
              }
              if (errors === _errs4) {
                if (typeof data1 == 'number' && isFinite(data1)) {
                  if (data1 > 9007199254740991 || isNaN(data1)) {
                    validate50.errors = [
                      {
                        instancePath: instancePath + '/threads',
                        schemaPath: '#/properties/threads/maximum',
                        keyword: 'maximum',
                        params: { comparison: '<=', limit: 9007199254740991 },
                        message: 'must be <= 9007199254740991',
                      },
                    ];
                    return false;
                  } else {
                    if (data1 < 0 || isNaN(data1)) {
                      validate50.errors = [
                        {
                          instancePath: instancePath + '/threads',
                          schemaPath: '#/properties/threads/minimum',
                          keyword: 'minimum',
                          params: { comparison: '>=', limit: 0 },
                          message: 'must be >= 0',
                        },
                      ];
                      return false;
                    }
                  }
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.node !== void 0) {
                let data2 = data.node;
                const _errs6 = errors;
                if (errors === _errs6) {
                  if (typeof data2 === 'string') {
                    if (func2(data2) > 40) {
                      validate50.errors = [
                        {
                          instancePath: instancePath + '/node',
                          schemaPath: '#/properties/node/maxLength',
                          keyword: 'maxLength',
                          params: { limit: 40 },
                          message: 'must NOT have more than 40 characters',
                        },
                      ];
                      return false;
                    }
                  } else {
                    validate50.errors = [
                      {
                        instancePath: instancePath + '/node',
                        schemaPath: '#/properties/node/type',
                        keyword: 'type',
                        params: { type: 'string' },
                        message: 'must be string',
                      },
                    ];
                    return false;
                  }
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.measuring !== void 0) {
                  let data3 = data.measuring;
                  const _errs8 = errors;
                  if (!(typeof data3 == 'number' && !(data3 % 1) && !isNaN(data3) && isFinite(data3))) {
                    validate50.errors = [
                      {
                        instancePath: instancePath + '/measuring',
                        schemaPath: '#/properties/measuring/type',
                        keyword: 'type',
                        params: { type: 'integer' },
                        message: 'must be integer',
                      },
                    ];
                    return false;
                  }
                  if (errors === _errs8) {
                    if (typeof data3 == 'number' && isFinite(data3)) {
                      if (data3 > 9007199254740991 || isNaN(data3)) {
                        validate50.errors = [
                          {
                            instancePath: instancePath + '/measuring',
                            schemaPath: '#/properties/measuring/maximum',
                            keyword: 'maximum',
                            params: { comparison: '<=', limit: 9007199254740991 },
                            message: 'must be <= 9007199254740991',
                          },
                        ];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate50.errors = [
                            {
                              instancePath: instancePath + '/measuring',
                              schemaPath: '#/properties/measuring/minimum',
                              keyword: 'minimum',
                              params: { comparison: '>=', limit: 0 },
                              message: 'must be >= 0',
                            },
                          ];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs8 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.version !== void 0) {
                    let data4 = data.version;
                    const _errs10 = errors;
                    if (typeof data4 !== 'string' && data4 !== null) {
                      validate50.errors = [
                        {
                          instancePath: instancePath + '/version',
                          schemaPath: '#/properties/version/type',
                          keyword: 'type',
                          params: { type: schema35.properties.version.type },
                          message: 'must be string,null',
                        },
                      ];
                      return false;
                    }
                    if (errors === _errs10) {
                      if (typeof data4 === 'string') {
                        if (func2(data4) > 40) {
                          validate50.errors = [
                            {
                              instancePath: instancePath + '/version',
                              schemaPath: '#/properties/version/maxLength',
                              keyword: 'maxLength',
                              params: { limit: 40 },
                              message: 'must NOT have more than 40 characters',
                            },
                          ];
                          return false;
                        }
                      }
                    }
                    var valid0 = _errs10 === errors;
                  } else {
                    var valid0 = true;
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate50.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate50.errors = vErrors;
  return errors === 0;
}
var schema36 = {
  type: 'object',
  additionalProperties: false,
  required: ['low', 'high'],
  properties: { low: { type: 'number', minimum: 0 }, high: { type: ['number', 'null'], minimum: 0 } },
};
function validate52(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if ((data.low === void 0 && (missing0 = 'low')) || (data.high === void 0 && (missing0 = 'high'))) {
        validate52.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === 'low' || key0 === 'high')) {
            validate52.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.low !== void 0) {
            let data0 = data.low;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 == 'number' && isFinite(data0)) {
                if (data0 < 0 || isNaN(data0)) {
                  validate52.errors = [
                    {
                      instancePath: instancePath + '/low',
                      schemaPath: '#/properties/low/minimum',
                      keyword: 'minimum',
                      params: { comparison: '>=', limit: 0 },
                      message: 'must be >= 0',
                    },
                  ];
                  return false;
                }
              } else {
                validate52.errors = [
                  {
                    instancePath: instancePath + '/low',
                    schemaPath: '#/properties/low/type',
                    keyword: 'type',
                    params: { type: 'number' },
                    message: 'must be number',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.high !== void 0) {
              let data1 = data.high;
              const _errs4 = errors;
              if (!(typeof data1 == 'number' && isFinite(data1)) && data1 !== null) {
                validate52.errors = [
                  {
                    instancePath: instancePath + '/high',
                    schemaPath: '#/properties/high/type',
                    keyword: 'type',
                    params: { type: schema36.properties.high.type },
                    message: 'must be number,null',
                  },
                ];
                return false;
              }
              if (errors === _errs4) {
                if (typeof data1 == 'number' && isFinite(data1)) {
                  if (data1 < 0 || isNaN(data1)) {
                    validate52.errors = [
                      {
                        instancePath: instancePath + '/high',
                        schemaPath: '#/properties/high/minimum',
                        keyword: 'minimum',
                        params: { comparison: '>=', limit: 0 },
                        message: 'must be >= 0',
                      },
                    ];
                    return false;
                  }
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
          }
        }
      }
    } else {
      validate52.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate52.errors = vErrors;
  return errors === 0;
}
function validate71(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.unit === void 0 && (missing0 = 'unit')) ||
        (data.sub_bits === void 0 && (missing0 = 'sub_bits')) ||
        (data.min === void 0 && (missing0 = 'min')) ||
        (data.max === void 0 && (missing0 = 'max')) ||
        (data.sum === void 0 && (missing0 = 'sum')) ||
        (data.counts === void 0 && (missing0 = 'counts'))
      ) {
        validate71.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(
            key0 === 'unit' ||
            key0 === 'sub_bits' ||
            key0 === 'min' ||
            key0 === 'max' ||
            key0 === 'sum' ||
            key0 === 'counts'
          )) {
            validate71.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.unit !== void 0) {
            const _errs2 = errors;
            if ('us' !== data.unit) {
              validate71.errors = [
                {
                  instancePath: instancePath + '/unit',
                  schemaPath: '#/properties/unit/const',
                  keyword: 'const',
                  params: { allowedValue: 'us' },
                  message: 'must be equal to constant',
                },
              ];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.sub_bits !== void 0) {
              const _errs3 = errors;
              if (7 !== data.sub_bits) {
                validate71.errors = [
                  {
                    instancePath: instancePath + '/sub_bits',
                    schemaPath: '#/properties/sub_bits/const',
                    keyword: 'const',
                    params: { allowedValue: 7 },
                    message: 'must be equal to constant',
                  },
                ];
                return false;
              }
              var valid0 = _errs3 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.min !== void 0) {
                let data2 = data.min;
                const _errs4 = errors;
                if (!(typeof data2 == 'number' && !(data2 % 1) && !isNaN(data2) && isFinite(data2))) {
                  validate71.errors = [
                    {
                      instancePath: instancePath + '/min',
                      schemaPath: '#/properties/min/type',
                      keyword: 'type',
                      params: { type: 'integer' },
                      message: 'must be integer',
                    },
                  ];
                  return false;
                }
                if (errors === _errs4) {
                  if (typeof data2 == 'number' && isFinite(data2)) {
                    if (data2 > 9007199254740991 || isNaN(data2)) {
                      validate71.errors = [
                        {
                          instancePath: instancePath + '/min',
                          schemaPath: '#/properties/min/maximum',
                          keyword: 'maximum',
                          params: { comparison: '<=', limit: 9007199254740991 },
                          message: 'must be <= 9007199254740991',
                        },
                      ];
                      return false;
                    } else {
                      if (data2 < 0 || isNaN(data2)) {
                        validate71.errors = [
                          {
                            instancePath: instancePath + '/min',
                            schemaPath: '#/properties/min/minimum',
                            keyword: 'minimum',
                            params: { comparison: '>=', limit: 0 },
                            message: 'must be >= 0',
                          },
                        ];
                        return false;
                      }
                    }
                  }
                }
                var valid0 = _errs4 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.max !== void 0) {
                  let data3 = data.max;
                  const _errs6 = errors;
                  if (!(typeof data3 == 'number' && !(data3 % 1) && !isNaN(data3) && isFinite(data3))) {
                    validate71.errors = [
                      {
                        instancePath: instancePath + '/max',
                        schemaPath: '#/properties/max/type',
                        keyword: 'type',
                        params: { type: 'integer' },
                        message: 'must be integer',
                      },
                    ];
                    return false;
                  }
                  if (errors === _errs6) {
                    if (typeof data3 == 'number' && isFinite(data3)) {
                      if (data3 > 9007199254740991 || isNaN(data3)) {
                        validate71.errors = [
                          {
                            instancePath: instancePath + '/max',
                            schemaPath: '#/properties/max/maximum',
                            keyword: 'maximum',
                            params: { comparison: '<=', limit: 9007199254740991 },
                            message: 'must be <= 9007199254740991',
                          },
                        ];
                        return false;
                      } else {
                        if (data3 < 0 || isNaN(data3)) {
                          validate71.errors = [
                            {
                              instancePath: instancePath + '/max',
                              schemaPath: '#/properties/max/minimum',
                              keyword: 'minimum',
                              params: { comparison: '>=', limit: 0 },
                              message: 'must be >= 0',
                            },
                          ];
                          return false;
                        }
                      }
                    }
                  }
                  var valid0 = _errs6 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.sum !== void 0) {
                    let data4 = data.sum;
                    const _errs8 = errors;
                    if (!(typeof data4 == 'number' && !(data4 % 1) && !isNaN(data4) && isFinite(data4))) {
                      validate71.errors = [
                        {
                          instancePath: instancePath + '/sum',
                          schemaPath: '#/properties/sum/type',
                          keyword: 'type',
                          params: { type: 'integer' },
                          message: 'must be integer',
                        },
                      ];
                      return false;
                    }
                    if (errors === _errs8) {
                      if (typeof data4 == 'number' && isFinite(data4)) {
                        if (data4 > 9007199254740991 || isNaN(data4)) {
                          validate71.errors = [
                            {
                              instancePath: instancePath + '/sum',
                              schemaPath: '#/properties/sum/maximum',
                              keyword: 'maximum',
                              params: { comparison: '<=', limit: 9007199254740991 },
                              message: 'must be <= 9007199254740991',
                            },
                          ];
                          return false;
                        } else {
                          if (data4 < 0 || isNaN(data4)) {
                            validate71.errors = [
                              {
                                instancePath: instancePath + '/sum',
                                schemaPath: '#/properties/sum/minimum',
                                keyword: 'minimum',
                                params: { comparison: '>=', limit: 0 },
                                message: 'must be >= 0',
                              },
                            ];
                            return false;
                          }
                        }
                      }
                    }
                    var valid0 = _errs8 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.counts !== void 0) {
                      let data5 = data.counts;
                      const _errs10 = errors;
                      if (errors === _errs10) {
                        if (Array.isArray(data5)) {
                          if (data5.length > 4096) {
                            validate71.errors = [
                              {
                                instancePath: instancePath + '/counts',
                                schemaPath: '#/properties/counts/maxItems',
                                keyword: 'maxItems',
                                params: { limit: 4096 },
                                message: 'must NOT have more than 4096 items',
                              },
                            ];
                            return false;
                          } else {
                            var valid1 = true;
                            const len0 = data5.length;
                            for (let i0 = 0; i0 < len0; i0++) {
                              let data6 = data5[i0];
                              const _errs12 = errors;
                              if (errors === _errs12) {
                                if (Array.isArray(data6)) {
                                  if (data6.length > 2) {
                                    validate71.errors = [
                                      {
                                        instancePath: instancePath + '/counts/' + i0,
                                        schemaPath: '#/properties/counts/items/maxItems',
                                        keyword: 'maxItems',
                                        params: { limit: 2 },
                                        message: 'must NOT have more than 2 items',
                                      },
                                    ];
                                    return false;
                                  } else {
                                    if (data6.length < 2) {
                                      validate71.errors = [
                                        {
                                          instancePath: instancePath + '/counts/' + i0,
                                          schemaPath: '#/properties/counts/items/minItems',
                                          keyword: 'minItems',
                                          params: { limit: 2 },
                                          message: 'must NOT have fewer than 2 items',
                                        },
                                      ];
                                      return false;
                                    } else {
                                      var valid2 = true;
                                      const len1 = data6.length;
                                      for (let i1 = 0; i1 < len1; i1++) {
                                        let data7 = data6[i1];
                                        const _errs14 = errors;
                                        if (!(
                                          typeof data7 == 'number' &&
                                          !(data7 % 1) &&
                                          !isNaN(data7) &&
                                          isFinite(data7)
                                        )) {
                                          validate71.errors = [
                                            {
                                              instancePath: instancePath + '/counts/' + i0 + '/' + i1,
                                              schemaPath: '#/properties/counts/items/items/type',
                                              keyword: 'type',
                                              params: { type: 'integer' },
                                              message: 'must be integer',
                                            },
                                          ];
                                          return false;
                                        }
                                        if (errors === _errs14) {
                                          if (typeof data7 == 'number' && isFinite(data7)) {
                                            if (data7 > 9007199254740991 || isNaN(data7)) {
                                              validate71.errors = [
                                                {
                                                  instancePath: instancePath + '/counts/' + i0 + '/' + i1,
                                                  schemaPath: '#/properties/counts/items/items/maximum',
                                                  keyword: 'maximum',
                                                  params: { comparison: '<=', limit: 9007199254740991 },
                                                  message: 'must be <= 9007199254740991',
                                                },
                                              ];
                                              return false;
                                            } else {
                                              if (data7 < 0 || isNaN(data7)) {
                                                validate71.errors = [
                                                  {
                                                    instancePath: instancePath + '/counts/' + i0 + '/' + i1,
                                                    schemaPath: '#/properties/counts/items/items/minimum',
                                                    keyword: 'minimum',
                                                    params: { comparison: '>=', limit: 0 },
                                                    message: 'must be >= 0',
                                                  },
                                                ];
                                                return false;
                                              }
                                            }
                                          }
                                        }
                                        var valid2 = _errs14 === errors;
                                        if (!valid2) {
                                          break;
                                        }
                                      }
                                    }
                                  }
                                } else {
                                  validate71.errors = [
                                    {
                                      instancePath: instancePath + '/counts/' + i0,
                                      schemaPath: '#/properties/counts/items/type',
                                      keyword: 'type',
                                      params: { type: 'array' },
                                      message: 'must be array',
                                    },
                                  ];
                                  return false;
                                }
                              }
                              var valid1 = _errs12 === errors;
                              if (!valid1) {
                                break;
                              }
                            }
                          }
                        } else {
                          validate71.errors = [
                            {
                              instancePath: instancePath + '/counts',
                              schemaPath: '#/properties/counts/type',
                              keyword: 'type',
                              params: { type: 'array' },
                              message: 'must be array',
                            },
                          ];
                          return false;
                        }
                      }
                      var valid0 = _errs10 === errors;
                    } else {
                      var valid0 = true;
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate71.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate71.errors = vErrors;
  return errors === 0;
}
function validate49(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.result_id === void 0 && (missing0 = 'result_id')) ||
        (data.started_at === void 0 && (missing0 = 'started_at')) ||
        (data.machine === void 0 && (missing0 = 'machine')) ||
        (data.figures === void 0 && (missing0 = 'figures')) ||
        (data.bounds === void 0 && (missing0 = 'bounds')) ||
        (data.latency_histogram === void 0 && (missing0 = 'latency_histogram')) ||
        (data.latency_low_histogram === void 0 && (missing0 = 'latency_low_histogram'))
      ) {
        validate49.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(
            key0 === 'result_id' ||
            key0 === 'started_at' ||
            key0 === 'machine' ||
            key0 === 'figures' ||
            key0 === 'bounds' ||
            key0 === 'latency_histogram' ||
            key0 === 'latency_low_histogram'
          )) {
            validate49.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.result_id !== void 0) {
            let data0 = data.result_id;
            const _errs2 = errors;
            if (errors === _errs2) {
              if (typeof data0 === 'string') {
                if (func2(data0) > 200) {
                  validate49.errors = [
                    {
                      instancePath: instancePath + '/result_id',
                      schemaPath: '#/properties/result_id/maxLength',
                      keyword: 'maxLength',
                      params: { limit: 200 },
                      message: 'must NOT have more than 200 characters',
                    },
                  ];
                  return false;
                } else {
                  if (func2(data0) < 1) {
                    validate49.errors = [
                      {
                        instancePath: instancePath + '/result_id',
                        schemaPath: '#/properties/result_id/minLength',
                        keyword: 'minLength',
                        params: { limit: 1 },
                        message: 'must NOT have fewer than 1 characters',
                      },
                    ];
                    return false;
                  }
                }
              } else {
                validate49.errors = [
                  {
                    instancePath: instancePath + '/result_id',
                    schemaPath: '#/properties/result_id/type',
                    keyword: 'type',
                    params: { type: 'string' },
                    message: 'must be string',
                  },
                ];
                return false;
              }
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.started_at !== void 0) {
              let data1 = data.started_at;
              const _errs4 = errors;
              if (typeof data1 !== 'string' && data1 !== null) {
                validate49.errors = [
                  {
                    instancePath: instancePath + '/started_at',
                    schemaPath: '#/properties/started_at/type',
                    keyword: 'type',
                    params: { type: schema34.properties.started_at.type },
                    message: 'must be string,null',
                  },
                ];
                return false;
              }
              if (errors === _errs4) {
                if (typeof data1 === 'string') {
                  if (func2(data1) > 40) {
                    validate49.errors = [
                      {
                        instancePath: instancePath + '/started_at',
                        schemaPath: '#/properties/started_at/maxLength',
                        keyword: 'maxLength',
                        params: { limit: 40 },
                        message: 'must NOT have more than 40 characters',
                      },
                    ];
                    return false;
                  }
                }
              }
              var valid0 = _errs4 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.machine !== void 0) {
                let data2 = data.machine;
                const _errs6 = errors;
                const _errs7 = errors;
                let valid1 = false;
                const _errs8 = errors;
                if (
                  !validate50(data2, {
                    instancePath: instancePath + '/machine',
                    parentData: data,
                    parentDataProperty: 'machine',
                    rootData,
                  })
                ) {
                  vErrors = vErrors === null ? validate50.errors : vErrors.concat(validate50.errors);
                  errors = vErrors.length;
                }
                var _valid0 = _errs8 === errors;
                valid1 = valid1 || _valid0;
                if (!valid1) {
                  const _errs9 = errors;
                  if (data2 !== null) {
                    const err0 = {
                      instancePath: instancePath + '/machine',
                      schemaPath: '#/properties/machine/anyOf/1/type',
                      keyword: 'type',
                      params: { type: 'null' },
                      message: 'must be null',
                    };
                    if (vErrors === null) {
                      vErrors = [err0];
                    } else {
                      vErrors.push(err0);
                    }
                    errors++;
                  }
                  var _valid0 = _errs9 === errors;
                  valid1 = valid1 || _valid0;
                }
                if (!valid1) {
                  const err1 = {
                    instancePath: instancePath + '/machine',
                    schemaPath: '#/properties/machine/anyOf',
                    keyword: 'anyOf',
                    params: {},
                    message: 'must match a schema in anyOf',
                  };
                  if (vErrors === null) {
                    vErrors = [err1];
                  } else {
                    vErrors.push(err1);
                  }
                  errors++;
                  validate49.errors = vErrors;
                  return false;
                } else {
                  errors = _errs7;
                  if (vErrors !== null) {
                    if (_errs7) {
                      vErrors.length = _errs7;
                    } else {
                      vErrors = null;
                    }
                  }
                }
                var valid0 = _errs6 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.figures !== void 0) {
                  let data3 = data.figures;
                  const _errs11 = errors;
                  if (errors === _errs11) {
                    if (data3 && typeof data3 == 'object' && !Array.isArray(data3)) {
                      const _errs13 = errors;
                      for (const key1 in data3) {
                        if (!func11.call(schema34.properties.figures.properties, key1)) {
                          validate49.errors = [
                            {
                              instancePath: instancePath + '/figures',
                              schemaPath: '#/properties/figures/additionalProperties',
                              keyword: 'additionalProperties',
                              params: { additionalProperty: key1 },
                              message: 'must NOT have additional properties',
                            },
                          ];
                          return false;
                          break;
                        }
                      }
                      if (_errs13 === errors) {
                        if (data3.error_rate !== void 0) {
                          let data4 = data3.error_rate;
                          const _errs14 = errors;
                          if (errors === _errs14) {
                            if (typeof data4 == 'number' && isFinite(data4)) {
                              if (data4 < 0 || isNaN(data4)) {
                                validate49.errors = [
                                  {
                                    instancePath: instancePath + '/figures/error_rate',
                                    schemaPath: '#/properties/figures/properties/error_rate/minimum',
                                    keyword: 'minimum',
                                    params: { comparison: '>=', limit: 0 },
                                    message: 'must be >= 0',
                                  },
                                ];
                                return false;
                              }
                            } else {
                              validate49.errors = [
                                {
                                  instancePath: instancePath + '/figures/error_rate',
                                  schemaPath: '#/properties/figures/properties/error_rate/type',
                                  keyword: 'type',
                                  params: { type: 'number' },
                                  message: 'must be number',
                                },
                              ];
                              return false;
                            }
                          }
                          var valid2 = _errs14 === errors;
                        } else {
                          var valid2 = true;
                        }
                        if (valid2) {
                          if (data3.success_rate !== void 0) {
                            let data5 = data3.success_rate;
                            const _errs16 = errors;
                            if (errors === _errs16) {
                              if (typeof data5 == 'number' && isFinite(data5)) {
                                if (data5 < 0 || isNaN(data5)) {
                                  validate49.errors = [
                                    {
                                      instancePath: instancePath + '/figures/success_rate',
                                      schemaPath: '#/properties/figures/properties/success_rate/minimum',
                                      keyword: 'minimum',
                                      params: { comparison: '>=', limit: 0 },
                                      message: 'must be >= 0',
                                    },
                                  ];
                                  return false;
                                }
                              } else {
                                validate49.errors = [
                                  {
                                    instancePath: instancePath + '/figures/success_rate',
                                    schemaPath: '#/properties/figures/properties/success_rate/type',
                                    keyword: 'type',
                                    params: { type: 'number' },
                                    message: 'must be number',
                                  },
                                ];
                                return false;
                              }
                            }
                            var valid2 = _errs16 === errors;
                          } else {
                            var valid2 = true;
                          }
                          if (valid2) {
                            if (data3.avg_response_time !== void 0) {
                              let data6 = data3.avg_response_time;
                              const _errs18 = errors;
                              if (errors === _errs18) {
                                if (typeof data6 == 'number' && isFinite(data6)) {
                                  if (data6 < 0 || isNaN(data6)) {
                                    validate49.errors = [
                                      {
                                        instancePath: instancePath + '/figures/avg_response_time',
                                        schemaPath:
                                          '#/properties/figures/properties/avg_response_time/minimum',
                                        keyword: 'minimum',
                                        params: { comparison: '>=', limit: 0 },
                                        message: 'must be >= 0',
                                      },
                                    ];
                                    return false;
                                  }
                                } else {
                                  validate49.errors = [
                                    {
                                      instancePath: instancePath + '/figures/avg_response_time',
                                      schemaPath: '#/properties/figures/properties/avg_response_time/type',
                                      keyword: 'type',
                                      params: { type: 'number' },
                                      message: 'must be number',
                                    },
                                  ];
                                  return false;
                                }
                              }
                              var valid2 = _errs18 === errors;
                            } else {
                              var valid2 = true;
                            }
                            if (valid2) {
                              if (data3.min !== void 0) {
                                let data7 = data3.min;
                                const _errs20 = errors;
                                if (errors === _errs20) {
                                  if (typeof data7 == 'number' && isFinite(data7)) {
                                    if (data7 < 0 || isNaN(data7)) {
                                      validate49.errors = [
                                        {
                                          instancePath: instancePath + '/figures/min',
                                          schemaPath: '#/properties/figures/properties/min/minimum',
                                          keyword: 'minimum',
                                          params: { comparison: '>=', limit: 0 },
                                          message: 'must be >= 0',
                                        },
                                      ];
                                      return false;
                                    }
                                  } else {
                                    validate49.errors = [
                                      {
                                        instancePath: instancePath + '/figures/min',
                                        schemaPath: '#/properties/figures/properties/min/type',
                                        keyword: 'type',
                                        params: { type: 'number' },
                                        message: 'must be number',
                                      },
                                    ];
                                    return false;
                                  }
                                }
                                var valid2 = _errs20 === errors;
                              } else {
                                var valid2 = true;
                              }
                              if (valid2) {
                                if (data3.max !== void 0) {
                                  let data8 = data3.max;
                                  const _errs22 = errors;
                                  if (errors === _errs22) {
                                    if (typeof data8 == 'number' && isFinite(data8)) {
                                      if (data8 < 0 || isNaN(data8)) {
                                        validate49.errors = [
                                          {
                                            instancePath: instancePath + '/figures/max',
                                            schemaPath: '#/properties/figures/properties/max/minimum',
                                            keyword: 'minimum',
                                            params: { comparison: '>=', limit: 0 },
                                            message: 'must be >= 0',
                                          },
                                        ];
                                        return false;
                                      }
                                    } else {
                                      validate49.errors = [
                                        {
                                          instancePath: instancePath + '/figures/max',
                                          schemaPath: '#/properties/figures/properties/max/type',
                                          keyword: 'type',
                                          params: { type: 'number' },
                                          message: 'must be number',
                                        },
                                      ];
                                      return false;
                                    }
                                  }
                                  var valid2 = _errs22 === errors;
                                } else {
                                  var valid2 = true;
                                }
                                if (valid2) {
                                  if (data3.p50 !== void 0) {
                                    let data9 = data3.p50;
                                    const _errs24 = errors;
                                    if (errors === _errs24) {
                                      if (typeof data9 == 'number' && isFinite(data9)) {
                                        if (data9 < 0 || isNaN(data9)) {
                                          validate49.errors = [
                                            {
                                              instancePath: instancePath + '/figures/p50',
                                              schemaPath: '#/properties/figures/properties/p50/minimum',
                                              keyword: 'minimum',
                                              params: { comparison: '>=', limit: 0 },
                                              message: 'must be >= 0',
                                            },
                                          ];
                                          return false;
                                        }
                                      } else {
                                        validate49.errors = [
                                          {
                                            instancePath: instancePath + '/figures/p50',
                                            schemaPath: '#/properties/figures/properties/p50/type',
                                            keyword: 'type',
                                            params: { type: 'number' },
                                            message: 'must be number',
                                          },
                                        ];
                                        return false;
                                      }
                                    }
                                    var valid2 = _errs24 === errors;
                                  } else {
                                    var valid2 = true;
                                  }
                                  if (valid2) {
                                    if (data3.p75 !== void 0) {
                                      let data10 = data3.p75;
                                      const _errs26 = errors;
                                      if (errors === _errs26) {
                                        if (typeof data10 == 'number' && isFinite(data10)) {
                                          if (data10 < 0 || isNaN(data10)) {
                                            validate49.errors = [
                                              {
                                                instancePath: instancePath + '/figures/p75',
                                                schemaPath: '#/properties/figures/properties/p75/minimum',
                                                keyword: 'minimum',
                                                params: { comparison: '>=', limit: 0 },
                                                message: 'must be >= 0',
                                              },
                                            ];
                                            return false;
                                          }
                                        } else {
                                          validate49.errors = [
                                            {
                                              instancePath: instancePath + '/figures/p75',
                                              schemaPath: '#/properties/figures/properties/p75/type',
                                              keyword: 'type',
                                              params: { type: 'number' },
                                              message: 'must be number',
                                            },
                                          ];
                                          return false;
                                        }
                                      }
                                      var valid2 = _errs26 === errors;
                                    } else {
                                      var valid2 = true;
                                    }
                                    if (valid2) {
                                      if (data3.p90 !== void 0) {
                                        let data11 = data3.p90;
                                        const _errs28 = errors;
                                        if (errors === _errs28) {
                                          if (typeof data11 == 'number' && isFinite(data11)) {
                                            if (data11 < 0 || isNaN(data11)) {
                                              validate49.errors = [
                                                {
                                                  instancePath: instancePath + '/figures/p90',
                                                  schemaPath: '#/properties/figures/properties/p90/minimum',
                                                  keyword: 'minimum',
                                                  params: { comparison: '>=', limit: 0 },
                                                  message: 'must be >= 0',
                                                },
                                              ];
                                              return false;
                                            }
                                          } else {
                                            validate49.errors = [
                                              {
                                                instancePath: instancePath + '/figures/p90',
                                                schemaPath: '#/properties/figures/properties/p90/type',
                                                keyword: 'type',
                                                params: { type: 'number' },
                                                message: 'must be number',
                                              },
                                            ];
                                            return false;
                                          }
                                        }
                                        var valid2 = _errs28 === errors;
                                      } else {
                                        var valid2 = true;
                                      }
                                      if (valid2) {
                                        if (data3.p95 !== void 0) {
                                          let data12 = data3.p95;
                                          const _errs30 = errors;
                                          if (errors === _errs30) {
                                            if (typeof data12 == 'number' && isFinite(data12)) {
                                              if (data12 < 0 || isNaN(data12)) {
                                                validate49.errors = [
                                                  {
                                                    instancePath: instancePath + '/figures/p95',
                                                    schemaPath: '#/properties/figures/properties/p95/minimum',
                                                    keyword: 'minimum',
                                                    params: { comparison: '>=', limit: 0 },
                                                    message: 'must be >= 0',
                                                  },
                                                ];
                                                return false;
                                              }
                                            } else {
                                              validate49.errors = [
                                                {
                                                  instancePath: instancePath + '/figures/p95',
                                                  schemaPath: '#/properties/figures/properties/p95/type',
                                                  keyword: 'type',
                                                  params: { type: 'number' },
                                                  message: 'must be number',
                                                },
                                              ];
                                              return false;
                                            }
                                          }
                                          var valid2 = _errs30 === errors;
                                        } else {
                                          var valid2 = true;
                                        }
                                        if (valid2) {
                                          if (data3.p99 !== void 0) {
                                            let data13 = data3.p99;
                                            const _errs32 = errors;
                                            if (errors === _errs32) {
                                              if (typeof data13 == 'number' && isFinite(data13)) {
                                                if (data13 < 0 || isNaN(data13)) {
                                                  validate49.errors = [
                                                    {
                                                      instancePath: instancePath + '/figures/p99',
                                                      schemaPath:
                                                        '#/properties/figures/properties/p99/minimum',
                                                      keyword: 'minimum',
                                                      params: { comparison: '>=', limit: 0 },
                                                      message: 'must be >= 0',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                              } else {
                                                validate49.errors = [
                                                  {
                                                    instancePath: instancePath + '/figures/p99',
                                                    schemaPath: '#/properties/figures/properties/p99/type',
                                                    keyword: 'type',
                                                    params: { type: 'number' },
                                                    message: 'must be number',
                                                  },
                                                ];
                                                return false;
                                              }
                                            }
                                            var valid2 = _errs32 === errors;
                                          } else {
                                            var valid2 = true;
                                          }
                                          if (valid2) {
                                            if (data3['p99.9'] !== void 0) {
                                              let data14 = data3['p99.9'];
                                              const _errs34 = errors;
                                              if (errors === _errs34) {
                                                if (typeof data14 == 'number' && isFinite(data14)) {
                                                  if (data14 < 0 || isNaN(data14)) {
                                                    validate49.errors = [
                                                      {
                                                        instancePath: instancePath + '/figures/p99.9',
                                                        schemaPath:
                                                          '#/properties/figures/properties/p99.9/minimum',
                                                        keyword: 'minimum',
                                                        params: { comparison: '>=', limit: 0 },
                                                        message: 'must be >= 0',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                } else {
                                                  validate49.errors = [
                                                    {
                                                      instancePath: instancePath + '/figures/p99.9',
                                                      schemaPath:
                                                        '#/properties/figures/properties/p99.9/type',
                                                      keyword: 'type',
                                                      params: { type: 'number' },
                                                      message: 'must be number',
                                                    },
                                                  ];
                                                  return false;
                                                }
                                              }
                                              var valid2 = _errs34 === errors;
                                            } else {
                                              var valid2 = true;
                                            }
                                            if (valid2) {
                                              if (data3.requests !== void 0) {
                                                let data15 = data3.requests;
                                                const _errs36 = errors;
                                                if (errors === _errs36) {
                                                  if (typeof data15 == 'number' && isFinite(data15)) {
                                                    if (data15 < 0 || isNaN(data15)) {
                                                      validate49.errors = [
                                                        {
                                                          instancePath: instancePath + '/figures/requests',
                                                          schemaPath:
                                                            '#/properties/figures/properties/requests/minimum',
                                                          keyword: 'minimum',
                                                          params: { comparison: '>=', limit: 0 },
                                                          message: 'must be >= 0',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  } else {
                                                    validate49.errors = [
                                                      {
                                                        instancePath: instancePath + '/figures/requests',
                                                        schemaPath:
                                                          '#/properties/figures/properties/requests/type',
                                                        keyword: 'type',
                                                        params: { type: 'number' },
                                                        message: 'must be number',
                                                      },
                                                    ];
                                                    return false;
                                                  }
                                                }
                                                var valid2 = _errs36 === errors;
                                              } else {
                                                var valid2 = true;
                                              }
                                              if (valid2) {
                                                if (data3.requests_per_second !== void 0) {
                                                  let data16 = data3.requests_per_second;
                                                  const _errs38 = errors;
                                                  if (errors === _errs38) {
                                                    if (typeof data16 == 'number' && isFinite(data16)) {
                                                      if (data16 < 0 || isNaN(data16)) {
                                                        validate49.errors = [
                                                          {
                                                            instancePath:
                                                              instancePath + '/figures/requests_per_second',
                                                            schemaPath:
                                                              '#/properties/figures/properties/requests_per_second/minimum',
                                                            keyword: 'minimum',
                                                            params: { comparison: '>=', limit: 0 },
                                                            message: 'must be >= 0',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                    } else {
                                                      validate49.errors = [
                                                        {
                                                          instancePath:
                                                            instancePath + '/figures/requests_per_second',
                                                          schemaPath:
                                                            '#/properties/figures/properties/requests_per_second/type',
                                                          keyword: 'type',
                                                          params: { type: 'number' },
                                                          message: 'must be number',
                                                        },
                                                      ];
                                                      return false;
                                                    }
                                                  }
                                                  var valid2 = _errs38 === errors;
                                                } else {
                                                  var valid2 = true;
                                                }
                                                if (valid2) {
                                                  if (data3.success !== void 0) {
                                                    let data17 = data3.success;
                                                    const _errs40 = errors;
                                                    if (errors === _errs40) {
                                                      if (typeof data17 == 'number' && isFinite(data17)) {
                                                        if (data17 < 0 || isNaN(data17)) {
                                                          validate49.errors = [
                                                            {
                                                              instancePath: instancePath + '/figures/success',
                                                              schemaPath:
                                                                '#/properties/figures/properties/success/minimum',
                                                              keyword: 'minimum',
                                                              params: { comparison: '>=', limit: 0 },
                                                              message: 'must be >= 0',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                      } else {
                                                        validate49.errors = [
                                                          {
                                                            instancePath: instancePath + '/figures/success',
                                                            schemaPath:
                                                              '#/properties/figures/properties/success/type',
                                                            keyword: 'type',
                                                            params: { type: 'number' },
                                                            message: 'must be number',
                                                          },
                                                        ];
                                                        return false;
                                                      }
                                                    }
                                                    var valid2 = _errs40 === errors;
                                                  } else {
                                                    var valid2 = true;
                                                  }
                                                  if (valid2) {
                                                    if (data3.error !== void 0) {
                                                      let data18 = data3.error;
                                                      const _errs42 = errors;
                                                      if (errors === _errs42) {
                                                        if (typeof data18 == 'number' && isFinite(data18)) {
                                                          if (data18 < 0 || isNaN(data18)) {
                                                            validate49.errors = [
                                                              {
                                                                instancePath: instancePath + '/figures/error',
                                                                schemaPath:
                                                                  '#/properties/figures/properties/error/minimum',
                                                                keyword: 'minimum',
                                                                params: { comparison: '>=', limit: 0 },
                                                                message: 'must be >= 0',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                        } else {
                                                          validate49.errors = [
                                                            {
                                                              instancePath: instancePath + '/figures/error',
                                                              schemaPath:
                                                                '#/properties/figures/properties/error/type',
                                                              keyword: 'type',
                                                              params: { type: 'number' },
                                                              message: 'must be number',
                                                            },
                                                          ];
                                                          return false;
                                                        }
                                                      }
                                                      var valid2 = _errs42 === errors;
                                                    } else {
                                                      var valid2 = true;
                                                    }
                                                    if (valid2) {
                                                      if (data3.timeout_error !== void 0) {
                                                        let data19 = data3.timeout_error;
                                                        const _errs44 = errors;
                                                        if (errors === _errs44) {
                                                          if (typeof data19 == 'number' && isFinite(data19)) {
                                                            if (data19 < 0 || isNaN(data19)) {
                                                              validate49.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath + '/figures/timeout_error',
                                                                  schemaPath:
                                                                    '#/properties/figures/properties/timeout_error/minimum',
                                                                  keyword: 'minimum',
                                                                  params: { comparison: '>=', limit: 0 },
                                                                  message: 'must be >= 0',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                          } else {
                                                            validate49.errors = [
                                                              {
                                                                instancePath:
                                                                  instancePath + '/figures/timeout_error',
                                                                schemaPath:
                                                                  '#/properties/figures/properties/timeout_error/type',
                                                                keyword: 'type',
                                                                params: { type: 'number' },
                                                                message: 'must be number',
                                                              },
                                                            ];
                                                            return false;
                                                          }
                                                        }
                                                        var valid2 = _errs44 === errors;
                                                      } else {
                                                        var valid2 = true;
                                                      }
                                                      if (valid2) {
                                                        if (data3.network_error !== void 0) {
                                                          let data20 = data3.network_error;
                                                          const _errs46 = errors;
                                                          if (errors === _errs46) {
                                                            if (
                                                              typeof data20 == 'number' &&
                                                              isFinite(data20)
                                                            ) {
                                                              if (data20 < 0 || isNaN(data20)) {
                                                                validate49.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath + '/figures/network_error',
                                                                    schemaPath:
                                                                      '#/properties/figures/properties/network_error/minimum',
                                                                    keyword: 'minimum',
                                                                    params: { comparison: '>=', limit: 0 },
                                                                    message: 'must be >= 0',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                            } else {
                                                              validate49.errors = [
                                                                {
                                                                  instancePath:
                                                                    instancePath + '/figures/network_error',
                                                                  schemaPath:
                                                                    '#/properties/figures/properties/network_error/type',
                                                                  keyword: 'type',
                                                                  params: { type: 'number' },
                                                                  message: 'must be number',
                                                                },
                                                              ];
                                                              return false;
                                                            }
                                                          }
                                                          var valid2 = _errs46 === errors;
                                                        } else {
                                                          var valid2 = true;
                                                        }
                                                        if (valid2) {
                                                          if (data3.data_received !== void 0) {
                                                            let data21 = data3.data_received;
                                                            const _errs48 = errors;
                                                            if (errors === _errs48) {
                                                              if (
                                                                typeof data21 == 'number' &&
                                                                isFinite(data21)
                                                              ) {
                                                                if (data21 < 0 || isNaN(data21)) {
                                                                  validate49.errors = [
                                                                    {
                                                                      instancePath:
                                                                        instancePath +
                                                                        '/figures/data_received',
                                                                      schemaPath:
                                                                        '#/properties/figures/properties/data_received/minimum',
                                                                      keyword: 'minimum',
                                                                      params: { comparison: '>=', limit: 0 },
                                                                      message: 'must be >= 0',
                                                                    },
                                                                  ];
                                                                  return false;
                                                                }
                                                              } else {
                                                                validate49.errors = [
                                                                  {
                                                                    instancePath:
                                                                      instancePath + '/figures/data_received',
                                                                    schemaPath:
                                                                      '#/properties/figures/properties/data_received/type',
                                                                    keyword: 'type',
                                                                    params: { type: 'number' },
                                                                    message: 'must be number',
                                                                  },
                                                                ];
                                                                return false;
                                                              }
                                                            }
                                                            var valid2 = _errs48 === errors;
                                                          } else {
                                                            var valid2 = true;
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      }
                    } else {
                      validate49.errors = [
                        {
                          instancePath: instancePath + '/figures',
                          schemaPath: '#/properties/figures/type',
                          keyword: 'type',
                          params: { type: 'object' },
                          message: 'must be object',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid0 = _errs11 === errors;
                } else {
                  var valid0 = true;
                }
                if (valid0) {
                  if (data.bounds !== void 0) {
                    let data22 = data.bounds;
                    const _errs50 = errors;
                    const _errs51 = errors;
                    let valid3 = false;
                    const _errs52 = errors;
                    if (errors === _errs52) {
                      if (data22 && typeof data22 == 'object' && !Array.isArray(data22)) {
                        const _errs54 = errors;
                        for (const key2 in data22) {
                          if (!func11.call(schema34.properties.bounds.anyOf[0].properties, key2)) {
                            const err2 = {
                              instancePath: instancePath + '/bounds',
                              schemaPath: '#/properties/bounds/anyOf/0/additionalProperties',
                              keyword: 'additionalProperties',
                              params: { additionalProperty: key2 },
                              message: 'must NOT have additional properties',
                            };
                            if (vErrors === null) {
                              vErrors = [err2];
                            } else {
                              vErrors.push(err2);
                            }
                            errors++;
                            break;
                          }
                        }
                        if (_errs54 === errors) {
                          if (data22.error_rate !== void 0) {
                            const _errs55 = errors;
                            if (
                              !validate52(data22.error_rate, {
                                instancePath: instancePath + '/bounds/error_rate',
                                parentData: data22,
                                parentDataProperty: 'error_rate',
                                rootData,
                              })
                            ) {
                              vErrors =
                                vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
                              errors = vErrors.length;
                            }
                            var valid4 = _errs55 === errors;
                          } else {
                            var valid4 = true;
                          }
                          if (valid4) {
                            if (data22.success_rate !== void 0) {
                              const _errs56 = errors;
                              if (
                                !validate52(data22.success_rate, {
                                  instancePath: instancePath + '/bounds/success_rate',
                                  parentData: data22,
                                  parentDataProperty: 'success_rate',
                                  rootData,
                                })
                              ) {
                                vErrors =
                                  vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
                                errors = vErrors.length;
                              }
                              var valid4 = _errs56 === errors;
                            } else {
                              var valid4 = true;
                            }
                            if (valid4) {
                              if (data22.avg_response_time !== void 0) {
                                const _errs57 = errors;
                                if (
                                  !validate52(data22.avg_response_time, {
                                    instancePath: instancePath + '/bounds/avg_response_time',
                                    parentData: data22,
                                    parentDataProperty: 'avg_response_time',
                                    rootData,
                                  })
                                ) {
                                  vErrors =
                                    vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
                                  errors = vErrors.length;
                                }
                                var valid4 = _errs57 === errors;
                              } else {
                                var valid4 = true;
                              }
                              if (valid4) {
                                if (data22.min !== void 0) {
                                  const _errs58 = errors;
                                  if (
                                    !validate52(data22.min, {
                                      instancePath: instancePath + '/bounds/min',
                                      parentData: data22,
                                      parentDataProperty: 'min',
                                      rootData,
                                    })
                                  ) {
                                    vErrors =
                                      vErrors === null
                                        ? validate52.errors
                                        : vErrors.concat(validate52.errors);
                                    errors = vErrors.length;
                                  }
                                  var valid4 = _errs58 === errors;
                                } else {
                                  var valid4 = true;
                                }
                                if (valid4) {
                                  if (data22.max !== void 0) {
                                    const _errs59 = errors;
                                    if (
                                      !validate52(data22.max, {
                                        instancePath: instancePath + '/bounds/max',
                                        parentData: data22,
                                        parentDataProperty: 'max',
                                        rootData,
                                      })
                                    ) {
                                      vErrors =
                                        vErrors === null
                                          ? validate52.errors
                                          : vErrors.concat(validate52.errors);
                                      errors = vErrors.length;
                                    }
                                    var valid4 = _errs59 === errors;
                                  } else {
                                    var valid4 = true;
                                  }
                                  if (valid4) {
                                    if (data22.p50 !== void 0) {
                                      const _errs60 = errors;
                                      if (
                                        !validate52(data22.p50, {
                                          instancePath: instancePath + '/bounds/p50',
                                          parentData: data22,
                                          parentDataProperty: 'p50',
                                          rootData,
                                        })
                                      ) {
                                        vErrors =
                                          vErrors === null
                                            ? validate52.errors
                                            : vErrors.concat(validate52.errors);
                                        errors = vErrors.length;
                                      }
                                      var valid4 = _errs60 === errors;
                                    } else {
                                      var valid4 = true;
                                    }
                                    if (valid4) {
                                      if (data22.p75 !== void 0) {
                                        const _errs61 = errors;
                                        if (
                                          !validate52(data22.p75, {
                                            instancePath: instancePath + '/bounds/p75',
                                            parentData: data22,
                                            parentDataProperty: 'p75',
                                            rootData,
                                          })
                                        ) {
                                          vErrors =
                                            vErrors === null
                                              ? validate52.errors
                                              : vErrors.concat(validate52.errors);
                                          errors = vErrors.length;
                                        }
                                        var valid4 = _errs61 === errors;
                                      } else {
                                        var valid4 = true;
                                      }
                                      if (valid4) {
                                        if (data22.p90 !== void 0) {
                                          const _errs62 = errors;
                                          if (
                                            !validate52(data22.p90, {
                                              instancePath: instancePath + '/bounds/p90',
                                              parentData: data22,
                                              parentDataProperty: 'p90',
                                              rootData,
                                            })
                                          ) {
                                            vErrors =
                                              vErrors === null
                                                ? validate52.errors
                                                : vErrors.concat(validate52.errors);
                                            errors = vErrors.length;
                                          }
                                          var valid4 = _errs62 === errors;
                                        } else {
                                          var valid4 = true;
                                        }
                                        if (valid4) {
                                          if (data22.p95 !== void 0) {
                                            const _errs63 = errors;
                                            if (
                                              !validate52(data22.p95, {
                                                instancePath: instancePath + '/bounds/p95',
                                                parentData: data22,
                                                parentDataProperty: 'p95',
                                                rootData,
                                              })
                                            ) {
                                              vErrors =
                                                vErrors === null
                                                  ? validate52.errors
                                                  : vErrors.concat(validate52.errors);
                                              errors = vErrors.length;
                                            }
                                            var valid4 = _errs63 === errors;
                                          } else {
                                            var valid4 = true;
                                          }
                                          if (valid4) {
                                            if (data22.p99 !== void 0) {
                                              const _errs64 = errors;
                                              if (
                                                !validate52(data22.p99, {
                                                  instancePath: instancePath + '/bounds/p99',
                                                  parentData: data22,
                                                  parentDataProperty: 'p99',
                                                  rootData,
                                                })
                                              ) {
                                                vErrors =
                                                  vErrors === null
                                                    ? validate52.errors
                                                    : vErrors.concat(validate52.errors);
                                                errors = vErrors.length;
                                              }
                                              var valid4 = _errs64 === errors;
                                            } else {
                                              var valid4 = true;
                                            }
                                            if (valid4) {
                                              if (data22['p99.9'] !== void 0) {
                                                const _errs65 = errors;
                                                if (
                                                  !validate52(data22['p99.9'], {
                                                    instancePath: instancePath + '/bounds/p99.9',
                                                    parentData: data22,
                                                    parentDataProperty: 'p99.9',
                                                    rootData,
                                                  })
                                                ) {
                                                  vErrors =
                                                    vErrors === null
                                                      ? validate52.errors
                                                      : vErrors.concat(validate52.errors);
                                                  errors = vErrors.length;
                                                }
                                                var valid4 = _errs65 === errors;
                                              } else {
                                                var valid4 = true;
                                              }
                                              if (valid4) {
                                                if (data22.requests !== void 0) {
                                                  const _errs66 = errors;
                                                  if (
                                                    !validate52(data22.requests, {
                                                      instancePath: instancePath + '/bounds/requests',
                                                      parentData: data22,
                                                      parentDataProperty: 'requests',
                                                      rootData,
                                                    })
                                                  ) {
                                                    vErrors =
                                                      vErrors === null
                                                        ? validate52.errors
                                                        : vErrors.concat(validate52.errors);
                                                    errors = vErrors.length;
                                                  }
                                                  var valid4 = _errs66 === errors;
                                                } else {
                                                  var valid4 = true;
                                                }
                                                if (valid4) {
                                                  if (data22.requests_per_second !== void 0) {
                                                    const _errs67 = errors;
                                                    if (
                                                      !validate52(data22.requests_per_second, {
                                                        instancePath:
                                                          instancePath + '/bounds/requests_per_second',
                                                        parentData: data22,
                                                        parentDataProperty: 'requests_per_second',
                                                        rootData,
                                                      })
                                                    ) {
                                                      vErrors =
                                                        vErrors === null
                                                          ? validate52.errors
                                                          : vErrors.concat(validate52.errors);
                                                      errors = vErrors.length;
                                                    }
                                                    var valid4 = _errs67 === errors;
                                                  } else {
                                                    var valid4 = true;
                                                  }
                                                  if (valid4) {
                                                    if (data22.success !== void 0) {
                                                      const _errs68 = errors;
                                                      if (
                                                        !validate52(data22.success, {
                                                          instancePath: instancePath + '/bounds/success',
                                                          parentData: data22,
                                                          parentDataProperty: 'success',
                                                          rootData,
                                                        })
                                                      ) {
                                                        vErrors =
                                                          vErrors === null
                                                            ? validate52.errors
                                                            : vErrors.concat(validate52.errors);
                                                        errors = vErrors.length;
                                                      }
                                                      var valid4 = _errs68 === errors;
                                                    } else {
                                                      var valid4 = true;
                                                    }
                                                    if (valid4) {
                                                      if (data22.error !== void 0) {
                                                        const _errs69 = errors;
                                                        if (
                                                          !validate52(data22.error, {
                                                            instancePath: instancePath + '/bounds/error',
                                                            parentData: data22,
                                                            parentDataProperty: 'error',
                                                            rootData,
                                                          })
                                                        ) {
                                                          vErrors =
                                                            vErrors === null
                                                              ? validate52.errors
                                                              : vErrors.concat(validate52.errors);
                                                          errors = vErrors.length;
                                                        }
                                                        var valid4 = _errs69 === errors;
                                                      } else {
                                                        var valid4 = true;
                                                      }
                                                      if (valid4) {
                                                        if (data22.timeout_error !== void 0) {
                                                          const _errs70 = errors;
                                                          if (
                                                            !validate52(data22.timeout_error, {
                                                              instancePath:
                                                                instancePath + '/bounds/timeout_error',
                                                              parentData: data22,
                                                              parentDataProperty: 'timeout_error',
                                                              rootData,
                                                            })
                                                          ) {
                                                            vErrors =
                                                              vErrors === null
                                                                ? validate52.errors
                                                                : vErrors.concat(validate52.errors);
                                                            errors = vErrors.length;
                                                          }
                                                          var valid4 = _errs70 === errors;
                                                        } else {
                                                          var valid4 = true;
                                                        }
                                                        if (valid4) {
                                                          if (data22.network_error !== void 0) {
                                                            const _errs71 = errors;
                                                            if (
                                                              !validate52(data22.network_error, {
                                                                instancePath:
                                                                  instancePath + '/bounds/network_error',
                                                                parentData: data22,
                                                                parentDataProperty: 'network_error',
                                                                rootData,
                                                              })
                                                            ) {
                                                              vErrors =
                                                                vErrors === null
                                                                  ? validate52.errors
                                                                  : vErrors.concat(validate52.errors);
                                                              errors = vErrors.length;
                                                            }
                                                            var valid4 = _errs71 === errors;
                                                          } else {
                                                            var valid4 = true;
                                                          }
                                                          if (valid4) {
                                                            if (data22.data_received !== void 0) {
                                                              const _errs72 = errors;
                                                              if (
                                                                !validate52(data22.data_received, {
                                                                  instancePath:
                                                                    instancePath + '/bounds/data_received',
                                                                  parentData: data22,
                                                                  parentDataProperty: 'data_received',
                                                                  rootData,
                                                                })
                                                              ) {
                                                                vErrors =
                                                                  vErrors === null
                                                                    ? validate52.errors
                                                                    : vErrors.concat(validate52.errors);
                                                                errors = vErrors.length;
                                                              }
                                                              var valid4 = _errs72 === errors;
                                                            } else {
                                                              var valid4 = true;
                                                            }
                                                          }
                                                        }
                                                      }
                                                    }
                                                  }
                                                }
                                              }
                                            }
                                          }
                                        }
                                      }
                                    }
                                  }
                                }
                              }
                            }
                          }
                        }
                      } else {
                        const err3 = {
                          instancePath: instancePath + '/bounds',
                          schemaPath: '#/properties/bounds/anyOf/0/type',
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
                    }
                    var _valid1 = _errs52 === errors;
                    valid3 = valid3 || _valid1;
                    if (!valid3) {
                      const _errs73 = errors;
                      if (data22 !== null) {
                        const err4 = {
                          instancePath: instancePath + '/bounds',
                          schemaPath: '#/properties/bounds/anyOf/1/type',
                          keyword: 'type',
                          params: { type: 'null' },
                          message: 'must be null',
                        };
                        if (vErrors === null) {
                          vErrors = [err4];
                        } else {
                          vErrors.push(err4);
                        }
                        errors++;
                      }
                      var _valid1 = _errs73 === errors;
                      valid3 = valid3 || _valid1;
                    }
                    if (!valid3) {
                      const err5 = {
                        instancePath: instancePath + '/bounds',
                        schemaPath: '#/properties/bounds/anyOf',
                        keyword: 'anyOf',
                        params: {},
                        message: 'must match a schema in anyOf',
                      };
                      if (vErrors === null) {
                        vErrors = [err5];
                      } else {
                        vErrors.push(err5);
                      }
                      errors++;
                      validate49.errors = vErrors;
                      return false;
                    } else {
                      errors = _errs51;
                      if (vErrors !== null) {
                        if (_errs51) {
                          vErrors.length = _errs51;
                        } else {
                          vErrors = null;
                        }
                      }
                    }
                    var valid0 = _errs50 === errors;
                  } else {
                    var valid0 = true;
                  }
                  if (valid0) {
                    if (data.latency_histogram !== void 0) {
                      let data41 = data.latency_histogram;
                      const _errs75 = errors;
                      const _errs76 = errors;
                      let valid5 = false;
                      const _errs77 = errors;
                      if (
                        !validate71(data41, {
                          instancePath: instancePath + '/latency_histogram',
                          parentData: data,
                          parentDataProperty: 'latency_histogram',
                          rootData,
                        })
                      ) {
                        vErrors = vErrors === null ? validate71.errors : vErrors.concat(validate71.errors);
                        errors = vErrors.length;
                      }
                      var _valid2 = _errs77 === errors;
                      valid5 = valid5 || _valid2;
                      if (!valid5) {
                        const _errs78 = errors;
                        if (data41 !== null) {
                          const err6 = {
                            instancePath: instancePath + '/latency_histogram',
                            schemaPath: '#/properties/latency_histogram/anyOf/1/type',
                            keyword: 'type',
                            params: { type: 'null' },
                            message: 'must be null',
                          };
                          if (vErrors === null) {
                            vErrors = [err6];
                          } else {
                            vErrors.push(err6);
                          }
                          errors++;
                        }
                        var _valid2 = _errs78 === errors;
                        valid5 = valid5 || _valid2;
                      }
                      if (!valid5) {
                        const err7 = {
                          instancePath: instancePath + '/latency_histogram',
                          schemaPath: '#/properties/latency_histogram/anyOf',
                          keyword: 'anyOf',
                          params: {},
                          message: 'must match a schema in anyOf',
                        };
                        if (vErrors === null) {
                          vErrors = [err7];
                        } else {
                          vErrors.push(err7);
                        }
                        errors++;
                        validate49.errors = vErrors;
                        return false;
                      } else {
                        errors = _errs76;
                        if (vErrors !== null) {
                          if (_errs76) {
                            vErrors.length = _errs76;
                          } else {
                            vErrors = null;
                          }
                        }
                      }
                      var valid0 = _errs75 === errors;
                    } else {
                      var valid0 = true;
                    }
                    if (valid0) {
                      if (data.latency_low_histogram !== void 0) {
                        let data42 = data.latency_low_histogram;
                        const _errs80 = errors;
                        const _errs81 = errors;
                        let valid6 = false;
                        const _errs82 = errors;
                        if (
                          !validate71(data42, {
                            instancePath: instancePath + '/latency_low_histogram',
                            parentData: data,
                            parentDataProperty: 'latency_low_histogram',
                            rootData,
                          })
                        ) {
                          vErrors = vErrors === null ? validate71.errors : vErrors.concat(validate71.errors);
                          errors = vErrors.length;
                        }
                        var _valid3 = _errs82 === errors;
                        valid6 = valid6 || _valid3;
                        if (!valid6) {
                          const _errs83 = errors;
                          if (data42 !== null) {
                            const err8 = {
                              instancePath: instancePath + '/latency_low_histogram',
                              schemaPath: '#/properties/latency_low_histogram/anyOf/1/type',
                              keyword: 'type',
                              params: { type: 'null' },
                              message: 'must be null',
                            };
                            if (vErrors === null) {
                              vErrors = [err8];
                            } else {
                              vErrors.push(err8);
                            }
                            errors++;
                          }
                          var _valid3 = _errs83 === errors;
                          valid6 = valid6 || _valid3;
                        }
                        if (!valid6) {
                          const err9 = {
                            instancePath: instancePath + '/latency_low_histogram',
                            schemaPath: '#/properties/latency_low_histogram/anyOf',
                            keyword: 'anyOf',
                            params: {},
                            message: 'must match a schema in anyOf',
                          };
                          if (vErrors === null) {
                            vErrors = [err9];
                          } else {
                            vErrors.push(err9);
                          }
                          errors++;
                          validate49.errors = vErrors;
                          return false;
                        } else {
                          errors = _errs81;
                          if (vErrors !== null) {
                            if (_errs81) {
                              vErrors.length = _errs81;
                            } else {
                              vErrors = null;
                            }
                          }
                        }
                        var valid0 = _errs80 === errors;
                      } else {
                        var valid0 = true;
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    } else {
      validate49.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate49.errors = vErrors;
  return errors === 0;
}
function validate48(data, { instancePath = '', parentData, parentDataProperty, rootData = data } = {}) {
  let vErrors = null;
  let errors = 0;
  if (errors === 0) {
    if (data && typeof data == 'object' && !Array.isArray(data)) {
      let missing0;
      if (
        (data.format_version === void 0 && (missing0 = 'format_version')) ||
        (data.test === void 0 && (missing0 = 'test')) ||
        (data.load === void 0 && (missing0 = 'load')) ||
        (data.runs === void 0 && (missing0 = 'runs'))
      ) {
        validate48.errors = [
          {
            instancePath,
            schemaPath: '#/required',
            keyword: 'required',
            params: { missingProperty: missing0 },
            message: "must have required property '" + missing0 + "'",
          },
        ];
        return false;
      } else {
        const _errs1 = errors;
        for (const key0 in data) {
          if (!(key0 === 'format_version' || key0 === 'test' || key0 === 'load' || key0 === 'runs')) {
            validate48.errors = [
              {
                instancePath,
                schemaPath: '#/additionalProperties',
                keyword: 'additionalProperties',
                params: { additionalProperty: key0 },
                message: 'must NOT have additional properties',
              },
            ];
            return false;
            break;
          }
        }
        if (_errs1 === errors) {
          if (data.format_version !== void 0) {
            const _errs2 = errors;
            if (1 !== data.format_version) {
              validate48.errors = [
                {
                  instancePath: instancePath + '/format_version',
                  schemaPath: '#/properties/format_version/const',
                  keyword: 'const',
                  params: { allowedValue: 1 },
                  message: 'must be equal to constant',
                },
              ];
              return false;
            }
            var valid0 = _errs2 === errors;
          } else {
            var valid0 = true;
          }
          if (valid0) {
            if (data.test !== void 0) {
              let data1 = data.test;
              const _errs3 = errors;
              if (errors === _errs3) {
                if (typeof data1 === 'string') {
                  if (!pattern5.test(data1)) {
                    validate48.errors = [
                      {
                        instancePath: instancePath + '/test',
                        schemaPath: '#/properties/test/pattern',
                        keyword: 'pattern',
                        params: { pattern: '^[A-Za-z0-9_.-]{1,64}$' },
                        message: 'must match pattern "^[A-Za-z0-9_.-]{1,64}$"',
                      },
                    ];
                    return false;
                  }
                } else {
                  validate48.errors = [
                    {
                      instancePath: instancePath + '/test',
                      schemaPath: '#/properties/test/type',
                      keyword: 'type',
                      params: { type: 'string' },
                      message: 'must be string',
                    },
                  ];
                  return false;
                }
              }
              var valid0 = _errs3 === errors;
            } else {
              var valid0 = true;
            }
            if (valid0) {
              if (data.load !== void 0) {
                let data2 = data.load;
                const _errs5 = errors;
                if (errors === _errs5) {
                  if (typeof data2 === 'string') {
                    if (!pattern6.test(data2)) {
                      validate48.errors = [
                        {
                          instancePath: instancePath + '/load',
                          schemaPath: '#/properties/load/pattern',
                          keyword: 'pattern',
                          params: { pattern: '^[0-9a-f.]{8,64}$' },
                          message: 'must match pattern "^[0-9a-f.]{8,64}$"',
                        },
                      ];
                      return false;
                    }
                  } else {
                    validate48.errors = [
                      {
                        instancePath: instancePath + '/load',
                        schemaPath: '#/properties/load/type',
                        keyword: 'type',
                        params: { type: 'string' },
                        message: 'must be string',
                      },
                    ];
                    return false;
                  }
                }
                var valid0 = _errs5 === errors;
              } else {
                var valid0 = true;
              }
              if (valid0) {
                if (data.runs !== void 0) {
                  let data3 = data.runs;
                  const _errs7 = errors;
                  if (errors === _errs7) {
                    if (Array.isArray(data3)) {
                      if (data3.length > 100) {
                        validate48.errors = [
                          {
                            instancePath: instancePath + '/runs',
                            schemaPath: '#/properties/runs/maxItems',
                            keyword: 'maxItems',
                            params: { limit: 100 },
                            message: 'must NOT have more than 100 items',
                          },
                        ];
                        return false;
                      } else {
                        if (data3.length < 1) {
                          validate48.errors = [
                            {
                              instancePath: instancePath + '/runs',
                              schemaPath: '#/properties/runs/minItems',
                              keyword: 'minItems',
                              params: { limit: 1 },
                              message: 'must NOT have fewer than 1 items',
                            },
                          ];
                          return false;
                        } else {
                          var valid1 = true;
                          const len0 = data3.length;
                          for (let i0 = 0; i0 < len0; i0++) {
                            const _errs9 = errors;
                            if (
                              !validate49(data3[i0], {
                                instancePath: instancePath + '/runs/' + i0,
                                parentData: data3,
                                parentDataProperty: i0,
                                rootData,
                              })
                            ) {
                              vErrors =
                                vErrors === null ? validate49.errors : vErrors.concat(validate49.errors);
                              errors = vErrors.length;
                            }
                            var valid1 = _errs9 === errors;
                            if (!valid1) {
                              break;
                            }
                          }
                        }
                      }
                    } else {
                      validate48.errors = [
                        {
                          instancePath: instancePath + '/runs',
                          schemaPath: '#/properties/runs/type',
                          keyword: 'type',
                          params: { type: 'array' },
                          message: 'must be array',
                        },
                      ];
                      return false;
                    }
                  }
                  var valid0 = _errs7 === errors;
                } else {
                  var valid0 = true;
                }
              }
            }
          }
        }
      }
    } else {
      validate48.errors = [
        {
          instancePath,
          schemaPath: '#/type',
          keyword: 'type',
          params: { type: 'object' },
          message: 'must be object',
        },
      ];
      return false;
    }
  }
  validate48.errors = vErrors;
  return errors === 0;
}
export {
  validateAppList,
  validateAppRecord,
  validateAppRegistered,
  validateAppVerified,
  validateBaselineFile,
  validateCallbackList,
  validateError,
  validateJudgement,
  validateKeyList,
  validateOpenapi,
  validateOverview,
  validatePageCode,
  validatePageSession,
  validatePageSessionRequest,
  validatePassMade,
  validatePassRequest,
  validatePayloadFile,
  validateRegisterRequest,
  validateResultList,
  validateResultProgress,
  validateResultRecord,
  validateRunAnswer,
  validateServers,
  validateTestCreate,
  validateTestCreated,
  validateTestList,
  validateTestRecord,
  validateVerifyRequest,
};
