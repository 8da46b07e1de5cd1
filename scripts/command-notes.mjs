// Documentation of commands that is longer than their help: for docs/reference/cli.md. Each command of the table in
// src/cli/commands.ts has an entry. Usage, flags and defaults come from the table itself.

/**
 * @remarks `details`: paragraphs in Markdown. `examples`: a comment and a command each. `exits`: exit codes besides those
 * that every command has.
 */
export const COMMAND_NOTES = {
  init: {
    details: ['Writes `loadtests.yaml` to the working directory. An existing file is never overwritten.'],
    examples: [['Create the file, then preview its load', 'loadtests init']],
    exits: [],
  },
  validate: {
    details: [
      'Checks the syntax, the keys and the values of the file, in all of its environments or only in the one that `--env` names. The command contacts no service and starts no process.',
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
      'With `--against`, the command compares the file with its version in a git revision instead, without a service or an API key. In a CI job for a pull request or merge request, a plan without `--against` also compares the file with the base commit of that request. If there is no service to plan for, because the embedded service has no data or the API key is not set, this comparison is the plan. `--no-against` disables this comparison.',
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
      'Prints a plan from `plan -o` or `plan --json`, as text or in any other format of `plan`. The command contacts no service and reads no other files. Only `apply` checks the signature of a saved plan.',
    ],
    examples: [
      ['Show a saved plan', 'loadtests show plan.json'],
      ['Convert a saved plan to HTML', 'loadtests show plan.json --html plan.html'],
    ],
    exits: [],
  },
  apply: {
    details: [
      'Registers and verifies apps, creates and replaces tests, waits for their runs and evaluates the results. Creating a test starts its load. Unchanged tests are not run again unless `--run`, `--repeat` or `--max-age` selects them; their latest result is evaluated.',
      'Changes require approval by `--yes`, a confirmed prompt, or a saved plan. A saved plan includes its file and the flags that change the plan, such as `--only`, so `apply PLAN` does not accept these flags.',
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
      'Runs the selected tests and evaluates their results. A test that does not exist on the service is created, which starts its first run. `id:ID` runs a test that is not in the file.',
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
      'Stops the load immediately, and cancels the schedules of the selected tests. The result of a stopped run is stored, without a verdict.',
    ],
    examples: [
      ['Stop one test of the file', 'loadtests stop checkout'],
      ['Stop everything, without a file', 'loadtests stop --all --yes'],
    ],
    exits: [4, 6, 7, 8, 9],
  },
  status: {
    details: ['Shows registered apps, tests, runs in progress and scheduled runs. Times are in UTC.'],
    examples: [
      ['Show the current state', 'loadtests status'],
      ['Follow runs until Ctrl-C', 'loadtests status --watch'],
    ],
    exits: [4, 7, 9],
  },
  results: {
    details: [
      'Shows the results and verdicts of past runs. Without `KEY`, it shows the latest result of each test.',
      'With `--compare`, it compares the newest run of a test with the run before it (`previous`), with another result (a result ID or its first characters), or with the committed baseline (`baseline`).',
    ],
    examples: [
      ['Show all results of one test', 'loadtests results checkout'],
      [
        'Compare the two newest runs in one HTML report',
        'loadtests results checkout --compare previous --html report.html',
      ],
    ],
    exits: [4, 7, 9, 10, 11],
  },
  baseline: {
    details: [
      'Writes the latest completed runs of each test to `baselines/KEY.json`, or to `baselines/ENV/KEY.json` with `--env`. Regression thresholds compare later runs with this file. Commit the file.',
    ],
    examples: [['Record the last five runs', 'loadtests baseline checkout']],
    exits: [4, 7, 9],
  },
  verify: {
    details: [
      'Registers the apps if needed, publishes their verification tokens, and asks the service to verify them. Without `APP`, it verifies all apps of the file.',
    ],
    examples: [['Verify one app', 'loadtests verify api']],
    exits: [4, 6, 7, 8, 9, 12],
  },
  import: {
    details: [
      'Writes a configuration file from the apps and tests on the service. A plan of the imported file has no changes. Possible secrets become `${secret:NAME}`. Services do not store thresholds, `needs` and `parallel`, so you must add them manually.',
      'With `--from`, converts a file of another tool ([Moving in](../guides/moving-in.md)) without contacting a service. If the file cannot express a part of the source, a comment marks this part, and the exit code is 7.',
    ],
    examples: [
      ['Import an account into a new file', 'loadtests import -o loadtests.yaml'],
      ['Convert an Artillery script', 'loadtests import --from artillery load/shop.yml -o loadtests.yaml'],
      [
        'Add a test to an existing file',
        'loadtests import --from curl requests.sh --into loadtests.yaml --test checkout',
      ],
    ],
    exits: [4, 7, 9],
  },
  record: {
    details: [
      'Starts a proxy on 127.0.0.1 that forwards requests to the targets, runs the command, and writes the requests as a test. The command reaches the proxy at `{url}`, or through `HTTP_PROXY` and `HTTPS_PROXY`. If a later request contains a value from a response, that value becomes a variable. Secrets become `${secret:NAME}`. Recorded data stays in memory.',
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
      'Shows the requests with an unknown outcome, and related data from the service. `apply` also resolves these requests if it can determine their outcome.',
    ],
    examples: [
      ['Show open requests', 'loadtests recover'],
      ['Record that a request was executed', 'loadtests recover checkout --adopt f133e9e3aa'],
      ['Record that a request was not executed', 'loadtests recover checkout --absent'],
    ],
    exits: [4, 7, 8, 9],
  },
  destroy: {
    details: [
      'Lists every test and result that would be deleted, stops active runs, and deletes the apps of the file. **This cannot be undone.** If these hosts have tests that this project and environment do not manage, the command deletes nothing and exits with 12 unless `--with-unmanaged` is passed.',
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
      'Starts a worker that generates load for a service that was started with `serve --redis`. Set `LOADTESTS_WORKER_SECRET` to the same value on the service and on all workers. On SIGINT or SIGTERM, the worker accepts no new runs, and exits with 0 when its run has ended or `--grace` has expired.',
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
      'Prints a one-time sign-in link for the web UI, which expires after ten minutes. On a desktop, the command also opens the link in a browser. It needs the API key, either from the environment or from the data directory of a `serve` on the same machine.',
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
      'Prints the cause of a problem and its fix. The code is not case-sensitive, and the prefix `LT_` can be omitted.',
    ],
    examples: [['Explain a problem code', 'loadtests explain LT_RUN_INCONCLUSIVE']],
    exits: [],
  },
  completion: {
    details: [
      'Prints a script for `bash`, `zsh` or `fish`. The first comment of the script contains the command that installs it.',
    ],
    examples: [['Enable completion in bash', 'eval "$(loadtests completion bash)"']],
    exits: [],
  },
  schema: {
    details: [
      'Prints the JSON Schema of the configuration file (`config`, the default), or of the document that a command prints with `--json`.',
    ],
    examples: [
      ['Print the schema of the file', 'loadtests schema'],
      ['Print the schema of a plan', 'loadtests schema plan'],
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
  ['`<glob>`', 'Pattern for keys, in which `*` matches any characters: `"checkout-*"`.'],
  ['`<duration>`', 'Number with a unit: `500ms`, `90s`, `1m30s`, `24h`, `90d`.'],
  ['`<cidr>`', 'Address range, such as `10.0.0.0/8`.'],
  ['`<url>`', 'Address that begins with `http:` or `https:`, unless the flag specifies a different format.'],
];
