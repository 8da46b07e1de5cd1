/** Rules for valid tests, shared by the file and the service. A schema has already checked the structure. */
import { withCommas } from '../counted.ts';
import type { Capabilities } from './capabilities.ts';
import type { FieldPath } from '../field-reference.ts';
import type { LoadTestSpec, TargetSpec } from './load-test.ts';
import { findIteration } from './iteration.ts';
import { keyOfRows } from './payload-file.ts';
import { pathInPhase } from './phase.ts';
import { MAX_SETUP_ROWS, phaseTestsOf, rowsOfSetup, setupVariablesOf, type PhaseTest } from './phase-test.ts';
import { PatternRules, type CompilePattern } from './pattern.ts';
import { addFault, type Fault, type FaultList } from './rules/fault.ts';
import { checkHostConnections, type CheckCertificates } from './rules/connection-rules.ts';
import { checkLimits, checkSize } from './rules/limit-rules.ts';
import { checkLoad } from './rules/load-rules.ts';
import { checkNotices } from './rules/notice-rules.ts';
import { checkGroups } from './rules/group-rules.ts';
import { checkRequest } from './rules/request-rules.ts';
import { checkResponse } from './rules/response-rules.ts';
import {
  checkExpressions,
  checkValues,
  checkVariables,
  severityOfUndefined,
} from './rules/template-rules.ts';
import { TEST_FIELDS, URL_FIELDS } from './test-fields.ts';
import { displayUrl, faultOfRequestUrl } from './url.ts';
import { namesOf } from './variable.ts';

export interface TestReaders {
  readonly readPattern: CompilePattern;
  readonly checkCertificates: CheckCertificates;
}

export function faultsOfTest(
  spec: LoadTestSpec,
  capabilities: Capabilities,
  { readPattern, checkCertificates }: TestReaders,
): readonly Fault[] {
  const found: FaultList = [];
  checkLoad(found, spec, capabilities);
  checkNotices(found, spec, capabilities);
  if (spec.tlsVerify !== null && !capabilities.tlsVerify) {
    const message =
      '"tls_verify" can be used only with the embedded service; remove "tls_verify", or unset "service.base_url" and LOADTESTS_BASE_URL';
    addFault(found, { path: [TEST_FIELDS.tlsVerify.name], about: 'key', message });
  }
  checkHostConnections(found, spec, checkCertificates);
  const patterns = new PatternRules(readPattern);
  checkGroups(found, spec, patterns);
  spec.targets.forEach((target, index) =>
    checkTarget(found, target, { path: ['urls', index], capabilities, patterns }),
  );
  for (const phase of phaseTestsOf(spec)) {
    const faults = faultsOfPhase(phase, spec, { capabilities, patterns });
    found.push(...faults.map((fault) => ({ ...fault, path: pathInPhase(phase.name, fault.path) })));
  }
  const rows = declaredRows(spec);
  // Omits these checks if the names that payload files define are unknown.
  if (rows !== null) found.push(...faultsOfRows(spec, rows, capabilities));
  if (capabilities.limits !== null) {
    checkLimits(found, spec, capabilities.limits);
    checkSize(found, spec, capabilities.limits);
  }
  return found;
}

function faultsOfPhase(
  { name, spec: phase }: PhaseTest,
  spec: LoadTestSpec,
  { capabilities, patterns }: Omit<TargetContext, 'path'>,
): readonly Fault[] {
  const found: FaultList = [];
  checkGroups(found, phase, patterns);
  phase.targets.forEach((target, index) => {
    const path = ['urls', index];
    checkTarget(found, target, { path, capabilities, patterns });
    for (const key of ['payloadFile', 'payloadFileUrl'] as const) {
      const isRows = key === 'payloadFile' && name === 'setup' && index === 0;
      if (target[key] === null || isRows) continue;
      const field = URL_FIELDS[key].name;
      const message =
        key === 'payloadFile' && name === 'setup'
          ? `"${field}" has no effect in "setup" except in the first request; remove it, or move it to the first request`
          : `"${field}" has no effect in "${name}"; remove "${field}"`;
      addFault(found, { path: [...path, field], about: 'key', message });
    }
  });
  const rows = rowsOfSetup(spec);
  const defined =
    name === 'setup' ? (rows?.declared?.variables ?? []) : rows === null ? setupVariablesOf(spec) : [];
  // Omits the check of a setup whose rows have not been read, because they may define any variable.
  if (name === 'teardown' || rows?.declared !== null)
    checkVariables(found, phase, { defined: new Set(defined), severity: severityOfUndefined(capabilities) });
  if (name === 'setup') checkSetupRows(found, rows?.declared ?? null);
  if (capabilities.limits !== null) checkLimits(found, phase, capabilities.limits);
  return found;
}

/** Checks the rows of a setup; the paths of the faults are relative to the setup. */
export function checkSetupRows(
  found: FaultList,
  rows: { readonly rows: number; readonly variables: readonly string[] | null } | null,
): void {
  if (rows === null) return;
  const path = ['urls', 0, URL_FIELDS.payloadFile.name];
  if (rows.variables === null) {
    const message = 'the payload file of "setup" must define variables; use CSV, or JSON with "variables"';
    addFault(found, { path, about: 'value', message });
  }
  if (rows.rows === 0 || rows.rows > MAX_SETUP_ROWS) {
    const message = `the payload file has ${withCommas(rows.rows)} rows; in "setup", it must have 1 to ${withCommas(MAX_SETUP_ROWS)} rows`;
    addFault(found, { path, about: 'value', message });
  }
}

export interface PayloadNames {
  /** Names of variables, once for each file that defines the variable. */
  readonly variables: readonly string[];
  /** For each request, true if a file provides rows for only this request. */
  readonly requests: readonly boolean[];
  /** Names of the variables that the payload file of the setup defines. */
  readonly setup: readonly string[];
}

/** Returns the names that payload files define; null if a file is remote or not read, so that names are unknown. */
function declaredRows(spec: LoadTestSpec): PayloadNames | null {
  const { targets } = spec;
  const setup = rowsOfSetup(spec);
  if (setup?.declared === null) return null;
  const declared = targets.map(({ payloadFile }) => payloadFile?.declared ?? null);
  const unread = targets.some(
    ({ payloadFileUrl, payloadFile }) => payloadFileUrl !== null || payloadFile?.declared === null,
  );
  if (unread) return null;
  const files = new Map(
    targets.map(({ payloadFile }) => [
      payloadFile && keyOfRows(payloadFile),
      payloadFile?.declared?.variables ?? [],
    ]),
  );
  return {
    variables: [...files.values()].flat(),
    requests: declared.map((rows) => rows?.variables === null),
    setup: setup?.declared?.variables ?? [],
  };
}

/** Returns the faults that depend on the names that payload files define. */
export function faultsOfRows(
  spec: LoadTestSpec,
  rows: PayloadNames,
  capabilities: Capabilities,
): readonly Fault[] {
  const found: FaultList = [];
  const names = new Map(rows.variables.map((name) => [name, 'a payload file']));
  // The message does not contain the name of the variable, because the content of the file may be confidential.
  if (names.size < rows.variables.length) {
    addFault(found, {
      path: [],
      about: 'value',
      message: 'two payload files define the same variable; rename the variable in one of them',
    });
  }
  const ofSetup = [...rows.setup, ...setupVariablesOf(spec)];
  if (new Set(ofSetup).size < ofSetup.length) {
    const message =
      'the payload file and the requests of "setup" define the same variable; rename one of the variables';
    addFault(found, { path: ['setup'], about: 'key', message });
  }
  const duplicate = ofSetup.find((name) => names.has(name));
  if (duplicate !== undefined) {
    const message = `the variable "${duplicate}" is defined twice: in "setup" and in a payload file`;
    addFault(found, { path: ['setup'], about: 'key', message });
  }
  for (const name of ofSetup) names.set(name, '"setup"');
  checkValues(found, spec, names);
  const valueNames = new Set(namesOf(spec.values));
  spec.targets.forEach((target, index) => {
    const ofFlow = namesOf(spec.flows?.[findIteration(spec, index)?.flow ?? -1]?.values);
    target.variables?.forEach(({ name }, at) => {
      const isValue = valueNames.has(name) || ofFlow.includes(name);
      if (!names.has(name) && !isValue) return;
      const other = names.get(name) ?? '"values"';
      const message = `the variable "${name}" is defined twice: in "variables" and in ${other}`;
      addFault(found, {
        path: ['urls', index, URL_FIELDS.variables.name, at, 'name'],
        about: 'value',
        message,
      });
    });
    if (rows.requests[index] !== true || target.body === null || target.body.kind === 'params') return;
    const { name } = URL_FIELDS[FIELDS_OF_BODIES[target.body.kind]];
    const message = `"${name}" and a payload file with "keys" cannot be combined; remove one of them`;
    addFault(found, { path: ['urls', index, name], about: 'key', message });
  });
  const defined = new Set([...names.keys(), ...valueNames]);
  checkVariables(found, spec, { defined, severity: severityOfUndefined(capabilities) });
  return found;
}

/** The field that defines each kind of body except `params`. */
const FIELDS_OF_BODIES = { text: 'body', json: 'body', file: 'bodyFile', multipart: 'multipart' } as const;

interface TargetContext {
  readonly path: FieldPath;
  readonly capabilities: Capabilities;
  readonly patterns: PatternRules;
}

function checkTarget(found: FaultList, target: TargetSpec, at: TargetContext): void {
  const { path } = at;
  const reason = target.url === '' ? null : faultOfRequestUrl(target.url);
  if (reason !== null) {
    addFault(found, {
      path: [...path, URL_FIELDS.url.name],
      about: 'value',
      message: `the URL ${displayUrl(target.url)} ${reason}`,
    });
  }
  checkRequest(found, target, at);
  checkResponse(found, target, at);
  checkExpressions(found, target, path);
}
