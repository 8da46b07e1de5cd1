/**
 * Custom lint rules: field names of the wire format belong to a few modules, core has neither a clock nor
 * randomness, and limits have one kind of name.
 */

// Metric names are the same in the file, in results and in verdicts.
const METRICS =
  'avg_response_time|data_received|error_rate|http_error_rate|iteration_(?:error_rate|max|mean|p\\d+)|network_error|requests_per_second|success_rate|timeout_error';
const SNAKE = `/^(?!(?:${METRICS})$)[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/`;
// Log lines are objects with an event and its fields.
const IN_LOG_LINE = 'ObjectExpression:has(> Property[key.name="event"]) > Property > Identifier';
const CONTRACT_ONLY =
  'Snake case names are field names of the file and the API. Decode them in contract or config.';

/** Creates a rule that reports each selector with its message. */
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
    'limit-names': refusing({
      'Identifier[name=/^(?:MOST|LEAST)_/]': 'Names of limits begin with MAX_ or MIN_.',
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
