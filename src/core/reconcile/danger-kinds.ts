/** Kinds of danger, in the order of display. */
export const DANGER_KINDS = [
  'commands',
  'service',
  'new-hosts',
  'higher-peak',
  'longer',
  'limits',
  'loosened',
  'secrets',
  'deleted-apps',
  'unmanaged',
] as const;
export type DangerKind = (typeof DANGER_KINDS)[number];
