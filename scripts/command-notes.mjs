// Documentation of commands that is longer than their help: for docs/reference/cli.md. Each command of the table in
// src/cli/commands.ts has an entry. Usage, flags and defaults come from the table itself.

/**
 * @remarks `details`: paragraphs in Markdown. `examples`: a comment and a command each. `exits`: exit codes besides those
 * that every command has.
 */
export const COMMAND_NOTES = {
  init: {
    details: [
      'Writes `loadtests.yaml` to the working directory, and adds `.loadtests/` to `.gitignore`. An existing `loadtests.yaml` is never overwritten.',
    ],
    examples: [['Create loadtests.yaml', 'loadtests init']],
    exits: [],
  },
  validate: {
    details: [
      'Checks the syntax, the keys and the values of the file, in all of its environments or only in the one that `--env` names. The command does not contact a service or start any processes.',
    ],
    examples: [
      ['Check the file in all environments', 'loadtests validate'],
      [
        'Check one environment and write Markdown for a job summary',
        'loadtests validate --env production --markdown summary.md',
      ],
    ],
    exits: [],
  },
  plan: {
    details: [
      'Compares the file with the service. Prints the changes that `apply` would make and the load that it would start. The command changes nothing. `--out` saves the plan, and `loadtests apply FILE` applies it.',
      'With `--against`, the command compares the file with its version in a git revision instead, without a service or an API key. Without `--against`, a plan in a CI job for a pull request or merge request also includes a comparison with the base commit. If the embedded service has no data, or the API key of the service is not set, the plan consists only of this comparison. `--no-against` disables the comparison.',
    ],
    examples: [
      ['Preview the changes', 'loadtests plan'],
      ['Save a plan that runs all tests, for another CI job', 'loadtests plan --run -o plan.json'],
      ['Review what a pull request changes', 'loadtests plan --against origin/main'],
      [
        'Reject changes that loosen thresholds or run other commands',
        'loadtests plan --against origin/main --fail-on loosened,commands',
      ],
    ],
    exits: [2, 4, 7, 8, 9, 12, 13],
  },
  show: {
    details: [
      'Prints a plan from `plan -o` or `plan --json`, as text or in another output format. The command does not contact a service or read other files. Only `apply` checks the signature of a saved plan.',
    ],
    examples: [
      ['Show a saved plan', 'loadtests show plan.json'],
      ['Convert a saved plan to HTML', 'loadtests show plan.json --html plan.html'],
    ],
    exits: [],
  },
  apply: {
    details: [
      'Registers and verifies apps, creates and replaces tests, waits for their runs and evaluates the results. Creating a test starts its load. An unchanged test runs again only with `--run`, `--repeat` or `--max-age`; otherwise, the latest result of the test is evaluated.',
      'Changes require approval by `--yes`, a confirmed prompt, or a saved plan. A saved plan contains the path of the configuration file and the flags that affect the plan, such as `--only`, so `apply PLAN` does not accept `--file` or these flags.',
    ],
    examples: [
      ['Apply after a prompt', 'loadtests apply'],
      ['Run all tests in CI and write a JUnit report', 'loadtests apply --yes --run --junit junit.xml'],
      ['Apply exactly the plan that was reviewed', 'loadtests apply plan.json'],
    ],
    exits: [4, 5, 6, 7, 8, 9, 10, 11, 12],
  },
  run: {
    details: [
      'Runs the selected tests and evaluates their results. A test that does not exist on the service is created, which starts the first run; a test that has changed in the file is replaced. `id:ID` runs a test on the service, which does not need to be in the file.',
      'With `--once`, one client runs one iteration, every request and response is printed, and no test is created.',
    ],
    examples: [
      ['Run one test', 'loadtests run checkout'],
      ['Debug a test', 'loadtests run checkout --once'],
      ['Run a test five times, to record a baseline', 'loadtests run checkout --repeat 5'],
    ],
    exits: [4, 6, 7, 8, 9, 10, 11, 12],
  },
  stop: {
    details: [
      'Stops the load immediately, and cancels the schedules of the selected tests. The results of stopped runs are stored; the thresholds of these runs are inconclusive.',
    ],
    examples: [
      ['Stop one test of the file', 'loadtests stop checkout'],
      ['Stop everything, without a file', 'loadtests stop --all --yes'],
    ],
    exits: [4, 6, 7, 8, 9],
  },
  status: {
    details: [
      'Shows the apps and tests of the file, with runs in progress and scheduled runs. Without a file, shows all apps and tests on the service. Times are in UTC.',
    ],
    examples: [
      ['Show the current state', 'loadtests status'],
      ['Follow runs until Ctrl-C', 'loadtests status --watch'],
    ],
    exits: [4, 7, 9],
  },
  results: {
    details: [
      'Shows the results and verdicts of past runs. Without `KEY`, the command shows the runs of all tests in the file, without details.',
      '`--compare` compares the newest completed run of a test with the run before it (`previous`), with another result (a result ID or its first characters), or with the recorded baseline (`baseline`).',
    ],
    examples: [
      ['Show the results of one test', 'loadtests results checkout'],
      [
        'Compare the two newest runs in one HTML report',
        'loadtests results checkout --compare previous --html report.html',
      ],
    ],
    exits: [4, 7, 9, 10, 11],
  },
  baseline: {
    details: [
      'Writes `baselines/KEY.json` for each test, or `baselines/ENV/KEY.json` with `--env`. The file contains the latest completed runs that delivered the declared load. Regression thresholds compare later runs with this file. Commit the file.',
    ],
    examples: [['Record the last five runs', 'loadtests baseline checkout']],
    exits: [4, 7, 9],
  },
  verify: {
    details: [
      'Registers missing apps on the service, publishes the verification tokens, and asks the service to verify the apps. Without `APP`, the command verifies all apps of the file.',
    ],
    examples: [['Verify one app', 'loadtests verify api']],
    exits: [4, 6, 7, 8, 9, 12],
  },
  import: {
    details: [
      'Writes a configuration file from the apps and tests on the service. With this file, `plan` shows no changes. Possible secrets become `${secret:NAME}`. Services do not store thresholds, `needs` or `parallel`, so you must add them manually.',
      'With `--from`, converts a file from another tool without contacting a service ([Moving in](../guides/moving-in.md)). If a part of this file cannot be converted, a comment marks the part, and the exit code is 7.',
    ],
    examples: [
      ['Write the apps and tests on the service to a new file', 'loadtests import -o loadtests.yaml'],
      ['Convert an Artillery script', 'loadtests import --from artillery load/shop.yml -o loadtests.yaml'],
      [
        'Convert curl commands to a test in an existing file',
        'loadtests import --from curl requests.sh --into loadtests.yaml --test checkout',
      ],
    ],
    exits: [4, 7, 9],
  },
  record: {
    details: [
      'Starts a proxy on 127.0.0.1 that forwards requests to the targets. Runs the command, and writes the requests of the command as a test. The command reaches the proxy at `{url}`, or through `HTTP_PROXY` and `HTTPS_PROXY`. A generated value, such as a token, becomes a variable if a response contains it and a later request sends it. Secrets become `${secret:NAME}`. Apart from the generated test, recorded data is written to disk only with `--har`.',
      '`record` itself starts no load. The output of the command appears on stderr.',
    ],
    examples: [
      [
        'Record a k6 script',
        'loadtests record --target http://127.0.0.1:8080 -o loadtests.yaml -- k6 run -e BASE_URL={url} --iterations 1 script.js',
      ],
      ['Record any client until Ctrl-C', 'loadtests record --target http://127.0.0.1:8080 --port 8000'],
    ],
    exits: [7],
  },
  recover: {
    details: [
      'Shows the API requests to the service with an unknown outcome, and related data from the service. `apply` also resolves the API requests whose outcome it can determine.',
    ],
    examples: [
      ['Show API requests with an unknown outcome', 'loadtests recover'],
      ['Record that an API request was executed', 'loadtests recover checkout --adopt f133e9e3aa'],
      ['Record that an API request was not executed', 'loadtests recover checkout --absent'],
    ],
    exits: [4, 7, 8, 9],
  },
  destroy: {
    details: [
      'Lists the apps and tests to delete, with the number of results of each test. After approval, stops active runs and deletes the apps of the file with all their tests and results. **This cannot be undone.** If these apps have tests that this project and environment do not manage, the command deletes nothing and exits with 12 unless `--with-unmanaged` is passed.',
    ],
    examples: [['Delete one app of the staging environment', 'loadtests destroy --env staging --only shop']],
    exits: [4, 6, 7, 8, 9, 12],
  },
  serve: {
    details: [
      'Runs a service with an HTTP API, schedules, callbacks, email, metrics and a web UI. Prints a one-time sign-in link for the web UI. SIGINT or SIGTERM stops the service, with exit code 0. The API key is read from `LOADTESTS_API_KEY` or from the file `api-key` in the data directory. If neither exists, the service generates a key and prints it once.',
    ],
    examples: [
      ['Start a service on the default port', 'loadtests serve'],
      ['Delete results after 90 days', 'loadtests serve --data /var/lib/loadtests --keep-results 90d'],
      ['Let workers generate the load', 'loadtests serve --redis redis://10.0.0.5'],
    ],
    exits: [9],
  },
  worker: {
    details: [
      'Starts a worker that generates load for a service that was started with `serve --redis`. On each worker, set `LOADTESTS_WORKER_SECRET` to the secret of the service. If this variable is not set for `serve --redis`, the service generates a secret and prints the path of the file that contains the secret. On SIGINT or SIGTERM, the worker accepts no new runs, and exits with 0 when the active run has ended or `--grace` has expired.',
    ],
    examples: [['Start a worker', 'loadtests worker --redis redis://10.0.0.5 --name west']],
    exits: [9],
  },
  backup: {
    details: [
      'Copies the database and the key files of `serve` to a new directory. The service can continue to run. To restore the backup, start `serve --data` with the new directory.',
    ],
    examples: [['Back up the data in ./loadtests-data', 'loadtests backup /backups/monday']],
    exits: [9],
  },
  open: {
    details: [
      'Prints a one-time sign-in link for the web UI. The link expires after ten minutes. On a desktop, the command also opens the link in a browser. The command needs the API key, either from the environment or from the data directory of a `serve` on the same machine.',
    ],
    examples: [
      ['Open the web UI of the service on the default port', 'loadtests open'],
      [
        'Print a link for a service on another port',
        'loadtests open --service http://127.0.0.1:5000 --print',
      ],
    ],
    exits: [4, 7, 9],
  },
  explain: {
    details: [
      'Prints the cause and the fix for a problem. The code is not case-sensitive, and the prefix `LT_` can be omitted.',
    ],
    examples: [['Explain a problem code', 'loadtests explain LT_RUN_INCONCLUSIVE']],
    exits: [],
  },
  completion: {
    details: [
      'Prints a script for `bash`, `zsh` or `fish`. A comment at the beginning of the script describes the installation.',
    ],
    examples: [['Enable completion in bash', 'eval "$(loadtests completion bash)"']],
    exits: [],
  },
  schema: {
    details: [
      'Prints the JSON Schema of the configuration file (`config`, the default), or of another JSON format, such as the document that a command prints with `--json`.',
    ],
    examples: [
      ['Print the schema of the configuration file', 'loadtests schema'],
      ['Print the schema of the JSON document from plan', 'loadtests schema plan'],
    ],
    exits: [],
  },
  help: {
    details: ['Prints the same text as `loadtests COMMAND --help`.'],
    examples: [['Print the help of apply', 'loadtests help apply']],
    exits: [],
  },
};

/** Exit codes that every command can end with. */
export const COMMON_EXITS = [0, 1, 3, 129, 130, 143];

/** Placeholders of arguments and flags, in the order of the page. */
export const VALUES = [
  ['`KEY`', 'Key of a test in the file.'],
  ['`id:ID`', 'ID of a test on the service. The test does not need to be in the file.'],
  ['`<glob>`', 'Pattern in which `*` matches any characters, such as `"checkout-*"`.'],
  ['`<duration>`', 'Number with a unit: `500ms`, `90s`, `1m30s`, `24h`, `90d`.'],
  ['`<cidr>`', 'Address range, such as `10.0.0.0/8`.'],
  ['`<url>`', 'Address that begins with `http:` or `https:`, unless the flag specifies a different format.'],
];
