import js from '@eslint/js';
import tseslint from 'typescript-eslint';
import typescript from 'typescript';

// The names of metrics are words of the user, the same in the file, in results and in verdicts.
const METRICS =
  'avg_response_time|data_received|error_rate|network_error|requests_per_second|success_rate|timeout_error';
const SNAKE = `/^(?!(?:${METRICS})$)[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/`;
// Log lines are read by machines: an event and its fields.
const IN_LOG_LINE = 'ObjectExpression:has(> Property[key.name="event"]) > Property > Identifier';
const CONTRACT_ONLY =
  'Snake case is how the file and the API spell fields; only contract and config know it. Decode it there.';

const noWireNames = [
  { selector: `Identifier[name=${SNAKE}]:not(${IN_LOG_LINE})`, message: CONTRACT_ONLY },
  { selector: `MemberExpression[computed=true] > Literal.property[value=${SNAKE}]`, message: CONTRACT_ONLY },
  { selector: `Property > Literal.key[value=${SNAKE}]`, message: CONTRACT_ONLY },
];

const noClock = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Core has no clock; time is an argument.',
  },
  {
    selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
    message: 'Core has no clock; time is an argument.',
  },
  {
    selector: 'CallExpression[callee.object.name="Math"][callee.property.name="random"]',
    message: 'Core has no chance; seeds are arguments.',
  },
];

/**
 * What `tsc` finds in a file, told by the program that the typed rules have anyway: a compiler of its own would find all
 * types a second time. The sources are compiled by the build.
 */
const compiles = {
  create(context) {
    const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
    return {
      Program(node) {
        for (const { start, code, messageText } of program.getSemanticDiagnostics(
          esTreeNodeToTSNodeMap.get(node),
        )) {
          const loc = context.sourceCode.getLocFromIndex(start ?? 0);
          const message = `TS${code}: ${typescript.flattenDiagnosticMessageText(messageText, '\n')}`;
          // Braces are places for data to ESLint.
          context.report({ loc, message: '{{message}}', data: { message } });
        }
      },
    };
  },
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'src/**/generated/', 'coverage/', 'examples/', '.loadtests/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    // One program for all: what one file needs to know of another is found out once.
    languageOptions: {
      parserOptions: { project: './tsconfig.lint.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-console': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      // There are no enums: the compiler takes erasable syntax only.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // The compiler finds them, and prettier shows them.
      '@typescript-eslint/no-unused-vars': 'off',
      'no-unexpected-multiline': 'off',
    },
  },
  {
    // A browser runs it.
    files: ['src/web/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: './src/web/tsconfig.lint.json' } },
  },
  {
    files: ['test/**/*.ts'],
    plugins: { types: { rules: { compiles } } },
    rules: { 'types/compiles': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/cli/main.ts', 'src/library/context.ts', 'src/action/main.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        {
          name: 'process',
          message:
            'Only the entries touch the process: src/cli/main.ts, src/library/context.ts, src/action/main.ts.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: [
      'src/contract/**',
      // Reads and writes the file, which spells fields as the API does.
      'src/config/{lower,lower-*,print}.ts',
      // Documents for machines, and what makes or reads them.
      'src/apply/saved-plan.ts',
      'src/report/**',
      'src/web/**',
      'src/action/**',
      // Each builds a document.
      'src/cli/commands/{destroy,explain,import,open,plan,recover,results,stop}.ts',
      'src/cli/steps/{carry-out,comparing,importing,planning}.ts',
      // The columns of the database.
      'src/server/store/**',
    ],
    rules: { 'no-restricted-syntax': ['error', ...noWireNames] },
  },
  {
    files: ['src/core/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...noWireNames, ...noClock] },
  },
  {
    files: ['src/core/report/**'],
    rules: { 'no-restricted-syntax': ['error', ...noClock] },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        URLSearchParams: 'readonly',
        setTimeout: 'readonly',
        performance: 'readonly',
      },
    },
  },
);
