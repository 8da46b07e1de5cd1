/** The lint's rules that are our own: who knows how the file and the API spell fields, and that core has neither clock nor chance. */

// The names of metrics are words of the user, the same in the file, in results and in verdicts.
const METRICS =
  'avg_response_time|data_received|error_rate|network_error|requests_per_second|success_rate|timeout_error';
const SNAKE = `/^(?!(?:${METRICS})$)[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/`;
// Log lines are read by machines: an event and its fields.
const IN_LOG_LINE = 'ObjectExpression:has(> Property[key.name="event"]) > Property > Identifier';
const CONTRACT_ONLY =
  'Snake case is how the file and the API spell fields; only contract and config know it. Decode it there.';

/** Refuses what a selector finds; each has its message. */
function refusing(messages) {
  return {
    create: (context) =>
      Object.fromEntries(
        Object.entries(messages).map(([selector, message]) => [
          selector,
          (node) => context.report({ node, message }),
        ]),
      ),
  };
}

export default {
  meta: { name: 'boundaries' },
  rules: {
    'wire-names': refusing({
      [`Identifier[name=${SNAKE}]:not(${IN_LOG_LINE})`]: CONTRACT_ONLY,
      [`MemberExpression[computed=true] > Literal.property[value=${SNAKE}]`]: CONTRACT_ONLY,
      [`Property > Literal.key[value=${SNAKE}]`]: CONTRACT_ONLY,
    }),
    clock: refusing({
      'NewExpression[callee.name="Date"][arguments.length=0]': 'Core has no clock; time is an argument.',
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]':
        'Core has no clock; time is an argument.',
      'CallExpression[callee.object.name="Math"][callee.property.name="random"]':
        'Core has no chance; seeds are arguments.',
    }),
  },
};
