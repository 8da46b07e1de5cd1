// The wording rules of the project: a pattern, and the words to use instead.
export const MAX_SENTENCE_WORDS = 32;
export const MAX_PARAGRAPH_WORDS = 100;

/** Test titles must be complete sentences, so that they can be understood without their group. */
export const TITLE_RULE = [
  /^(is|are|was|were|has|have|does|do|can|may|must|applies|explains|ends|keeps|returns|sends|rejects|refuses|shows|reads|writes|uses|prints|of)\s/,
  'begin the title with its subject',
];

export const RULES = [
  [/\b(tells?|told)\b/i, 'use "report", "print", "return" or "send"'],
  [/\b(nobody|somebody|anybody|everybody|whoever)\b/i, 'name the actor: client, user, process, attacker'],
  [/\b(stands?|stood)\b(?!-)/i, 'use "is", "appears" or "is set in"; "stood still" is "stalled"'],
  [/\b(go|goes|went) on\b(?! to\b)/i, 'use "continue", "resume" or "in progress"'],
  [/(?<!\bthere )\b(is|are|was|were) no (?!longer|more|such)/i, 'use "not a", or name what it is'],
  [/(^|[.] )Of (a|an|the|one|two|several|each|all|those|others)\b/, 'put the subject first'],
  [
    /(^|[.:;,] )where (it|a|an|the|there|one|no|nothing|nobody|what)\b/i,
    'use "if" (condition) or "when" (time)',
  ],
  [/(^|[.:;] )what (it|a|an|the|there|one|no|nothing|is|was|came|became|comes)\b(?!.*\?)/i, 'name the thing'],
  [/, since\b/, 'use "because"'],
  [/\balso (when|where|while|if)\b/i, 'use "even if" or "including"'],
  [/\b(so|neither|nor) (is|are|was|were|do|does|did)\b(?! not)/i, 'start a new sentence with the subject'],
  [/\b(is|are|was|were) to [a-z]+/i, 'use "must", "should" or the plain verb'],
  [/\bbut for\b|\ball but\b/i, 'use "except"'],
  [/\ball the same\b|\banew\b|\bonce more\b/i, 'use "anyway" or "again"'],
  [/\bbeside\b/i, 'use "next to", "in addition to" or "compared with"'],
  [
    /\bbehind\b(?! (a|the|your|its|an)\b[^.]{0,20}\b(proxy|proxies|balancer|NAT|gateway|firewall)| schedule| NAT| a flag)/i,
    'use "after"',
  ],
  [/\bat once\b/i, 'use "immediately" or "concurrently"'],
  [
    /(?<!often )\bas (it|they) (is|are|was|were)\b|\bas declared\b/i,
    'use "unchanged", "verbatim" or "up to date"',
  ],
  [/\bleft (out|alone)\b/i, 'use "omitted", "skipped" or "default:"'],
  [/\bso (many|long|much)\b/i, 'state the number'],
  [/\bthe least\b|\bthe most\b(?! (recent|common|important))/i, 'use "minimum" or "maximum"'],
  [/\bat (min|max) /i, 'use "at least" or "at most"'],
  [/\bfor ever\b/i, 'use "indefinitely"'],
  [/\blook(s|ed|ing)? at\b/i, 'use "check", "inspect" or "process"'],
  [/\b(is|are|was|were) there\b(?! (a|an|any)\b)/i, 'use "exists", "is connected" or "is running"'],
  [/\bgets? (load|nothing|no)\b/i, 'use "receive"'],
  [/\b(mak(e|es|ing)|made) (load|its load|the load)\b/i, 'use "generate load"'],
  [/\b(an|the|its|each|every|no|last|first|other) answers?\b/i, 'use "response"'],
  [
    /\b(one|each|next|another|all|number of|repeated|further|first|later|current) pass(es)?\b(?! or )|\bpasses of\b|\bof a pass\b/i,
    'use "iteration" or "repetition"',
  ],
  [
    /\b(conditions?|expectations?|thresholds?|(all|none) of them|(must|do|does) not) holds?\b/i,
    'use "is met"',
  ],
  [/\bin spite of\b|\band yet\b/i, 'use "despite" or "but"'],
  [/\d %(?!\w)/, 'write "80%"'],
  [/^\s*How (to|the|all|a|it|they)\b/, 'begin with a noun: "Settings of …", "Method of …"'],
  [/\bjudge[sd]?\b|\bjudging\b/i, 'use "evaluate"'],
  [/\b(is|are|was|were) not known\b/i, 'use "unknown"'],
  [/\bwould decide\b|\bcertain failure\b/i, 'name the verdict: "is needed for a verdict"'],
  [/\b(after|to)wards\b/i, 'use "afterward" and "toward" (American spelling)'],
  [
    /\bkept (in|for|until|without|between|with|on)\b|\b(is|are) kept\b(?! open)/i,
    'use "stored", "retained" or "preserved"',
  ],
  [/\bfigures?\b/i, 'use "metric" or "value"'],
  [/\bthis machine (stood|was|is|may|made|makes|cannot|could|had)\b/i, 'use "the load generator"'],
  [/\bstrangers?\b|\bof another make\b/i, 'use "untrusted" or "third-party"'],
  [/\bmend(s|ed|ing)?\b|\bparted\b/i, 'use "fix" or "separate"'],
  [
    /\btime-outs?\b|\btime lines?\b|\bset-ups?\b|\be-mails?\b/i,
    'use "timeout", "timeline", "setup", "email"',
  ],
  [/\b(he|his|him)\b/i, 'use "they", or name the role'],
  [/\b(twins?|doomed|untold|standstills?|calm)\b/i, 'use the terms of docs/concepts.md'],
  [/\b(Errors|Source|Shape): /, 'use @throws, @see or @remarks'],
];
