// What `causeway help` prints: one text a command, at most 80 columns wide, each with an example.

const TEXTS = {
  causeway: `Causeway: from a problem, to its cause, to its fix.

Usage: causeway COMMAND [OPTIONS]

  serve            run the service: REST API, webhooks, worker
  analyse          investigate one report, here in the terminal
  sign-in          print a link that opens the account area
  forecast         what it would have said of a repository's last 14 days
  demo             see it work on a real bug in a small repository
  replay           ask another model about an earlier report again
  eval             measure models on fixed issues of a repository of yours
  verify-proof     check with GitHub alone that a fix is proven
  token            create, list and revoke access tokens
  webhook-secret   show or rotate the secret that signs webhooks
  pause, resume    stop using the model and posting, and continue
  worker           run jobs only, with PostgreSQL
  init             write the workflow that runs Causeway as an action
  check-config     find what is wrong with a repository's files for Causeway
  action           do the work of one job of GitHub Actions
  mcp              answer a coding agent on this machine
  migrate          bring the database schema up to date
  backup           copy the SQLite database while the service runs
  restore          replace the SQLite database with a backup
  move             copy all records from SQLite to PostgreSQL
  redrive          retry failed jobs
  erase            delete everything about a person or a project
  doctor           check everything that the service depends on
  help COMMAND     more about one command
  version          print the version

Try it:

  causeway demo
  causeway analyse "TypeError: cart.total is not a function" --repo ../shop

Exit codes: 0 success, 1 failed, 2 usage error, 3 the model failed and only
facts were printed, 4 a proof is not verifiable, 130 stopped with Ctrl-C.
Settings are environment variables; docs/configuration.md lists them.
`,
  serve: `Run the service, in the mode that its settings call for:

  local    without GitHub App credentials: loopback only, one account, and
           the projects are git repositories on this disk. LOCAL_MODE=1
           forces it
  set-up   without credentials, but with a PUBLIC_URL or HOST that others can
           reach: only the page /setup, which creates the App
  GitHub   with APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET,
           or once set-up has created the App

Usage: causeway serve [--no-worker]

  --no-worker   accept and store reports, but don't run jobs. With PostgreSQL
                "causeway worker" runs them; with SQLite they wait for the
                next start without this option

Local mode: PROJECTS names the repositories, separated by ":" (";" on Windows).
The default is the one around the current folder, and a demo project with a
finished issue. The first start prints a token and a curl command to paste.
Ctrl-C stops the service; unfinished work continues at the next start.

Examples:

  PROJECTS=~/code/shop PORT=8080 causeway serve
  HOST=0.0.0.0 PUBLIC_URL=https://causeway.example.com causeway serve
`,
  analyse: `Investigate one report in the terminal, and show the steps as they happen.
Steps go to standard error, the answer to standard output.

Usage: causeway analyse ["TEXT" | - | URL] [OPTIONS]

  TEXT               the report, in quotes
  -                  read the report from standard input (a pipe works too)
  URL                a GitHub issue, or a failed Actions run or job
                     (set GITHUB_TOKEN for private ones and for logs)

  --repo PATH|URL    the repository; default: the one around this folder, or
                     the one that URL belongs to
  --revision REV     a branch, tag or commit; default: the commit that failed,
                     what is checked out, or the default branch of REPO's URL
  --log FILE|-       a log that belongs to the report
  --json             print exactly the Issue, as JSON
  --patch FILE       write the change as a unified patch, if there is one

Exit codes: 0 concluded, 1 gave up, 2 usage error, 3 the model failed and only
facts were printed, 130 stopped with Ctrl-C.

Examples:

  causeway analyse "Checkout fails for coupon codes in lower case"
  npm test 2>&1 | causeway analyse --json > issue.json
  causeway analyse "Build is red" --log build.log --revision v2.1.0
  causeway analyse https://github.com/OWNER/REPO/actions/runs/123456789
`,
  demo: `Investigate a real bug in a small repository that ships with Causeway: first
with a search of the source only, then with a model, which finds the cause and
the fix. Without a configured model, a script that ships with the demo plays
one. Needs no network, no key and no set-up, works in any folder, and cleans up
after itself.

Usage: causeway demo [--json] [--patch FILE]

  --json             print exactly the Issue of the second part, as JSON
  --patch FILE       write its change as a unified patch

Example:

  causeway demo
`,
  replay: `Investigate the report of an Issue again, at the same commit, with another model
or with this version, and print both answers side by side: outcome, cause,
files, change, turns, tokens, cost, proof.

Usage: causeway replay ISSUE [--model M] [--json]

  ISSUE      the Issue's id (iss_...)
  --model M  default: the configured model; none: facts only; scripted:FILE
             plays a script
  --json     print both answers as JSON

Works while the service runs. Nothing is written to GitHub, no webhook is sent,
and the new answer is not stored. Its cost is limited by BUDGET_RUN and by what
is left of BUDGET_REPOSITORY_MONTH and BUDGET_MONTH, and counts in both months.
Monitoring systems are not asked: what they say today is of another time. Exit
codes: 0 done, 1 the report can't be replayed, 2 usage error, 3 the model failed
and only facts were found.

Example:

  causeway replay iss_2kPq7vLw --model claude-sonnet-5
`,
  eval: `Measure how well models do on the past of a repository: each fixed issue is
investigated at the commit before its fix, with nothing after it visible, and
the answer is compared with the project's own fix.

Usage: causeway eval --github OWNER/NAME [OPTIONS]
       causeway eval --repo PATH --reports FILE [OPTIONS]

  --github OWNER/NAME  closed issues with a known fix. GITHUB_TOKEN or the App
                       tells what closed each; without them only fixes whose
                       commit names the issue are found (60 calls an hour)
  --repo PATH          a repository on this disk, with the texts of --github,
                       --reports or --subjects
  --reports FILE       one JSON object a line: {"number", "title", "body"}.
                       Commits that name a number ("fixes #123") are its fix
  --subjects           use the fixes' commit messages as reports. They give the
                       fix away, and every case says so
  --models A,B,none    default: the configured model, and none (facts only);
                       scripted:FILE plays a script
  --last N             at most so many cases, newest first; default: 50
  --budget USD         for everything in this state; default: 5. It counts in
                       BUDGET_MONTH, and no more is spent than is left of it
  --state DIR          keeps the answers; default: evaluations in DATA_DIR
  --json               print everything as JSON
  --html FILE          write a page as well

Progress goes to standard error. After a kill, or with a larger --budget, the
same command continues: an answer is asked for once. Delete the folder to start
over. Nothing is written to GitHub. Exit codes: 0 complete, 1 answers are
missing, 2 usage error.

Example:

  causeway eval --github octo/shop --models gpt-5.6-terra,none --last 20
`,
  forecast: `Say what Causeway would have made of the last 14 days of a repository on
GitHub, before it is installed there: of each failed check of GitHub Actions
whether the change, a flaky test, the base or the machine broke it, and what the
investigations would have cost. Asks no model, and writes nothing.

Usage: causeway forecast OWNER/NAME [--json]

  OWNER/NAME  the repository, or its address
  --json      the forecast as JSON

Needs GITHUB_TOKEN, which reads contents, actions, checks and issues, and makes
at most 250 calls to GitHub's API; of a busy repository it says what is missing.

Example:

  GITHUB_TOKEN=$(gh auth token) causeway forecast octo/shop
`,
  mcp: `Answer a coding agent on this machine, over standard input and output, by the
Model Context Protocol: what a log says of why a check is red. Writes nothing
and asks no model. A service knows checks, failures and answers too, at /mcp.

Usage: causeway mcp [--repo PATH] [--write]

  --repo PATH  the repository; default: PROJECTS, or the one around this folder
  --write      also start investigations, with the configured model

docs/agents.md has the lines to set up clients with.

Example:

  claude mcp add causeway -- causeway mcp
`,
  'verify-proof': `Check with GitHub alone that the fix at the head of a pull request is proven:
that its test failed in the repository's own CI without the fix, and passed with
it; that a bot opened it and made its commits, which GitHub signed; and that
they do not change .github/. The answer names commit, pull request and bot.
Of somebody else's pull request, that the tests of its head alone failed in a
run that the App's bot started, on the base that the logs name.

Usage: causeway verify-proof URL [FILE] [--app NAME]

  URL         a pull request with a certificate in its body, or somebody else's
              with one in the check run "Causeway / proof" of its head
  FILE        another certificate as JSON, such as from /api/v1/issues/ID/proof/
  --app NAME  the App that must have made it, as in github.com/apps/NAME;
              default: any

A private repository needs GITHUB_TOKEN, with read access to contents, checks,
actions and pull requests; so do the logs of a public one. Exit codes: 0 it
holds, 1 it does not, 2 usage error, 4 not verifiable: a file alone, a
certificate that names no pull request, or what GitHub no longer keeps.

Example:

  causeway verify-proof https://github.com/OWNER/REPO/pull/7
`,
  token: `Create, list and revoke the tokens that authenticate callers of the API. Works
while the service runs.

Usage: causeway token create --name NAME [--scopes A,B] [--expires 90d]
                             [--account LOGIN]
       causeway token list [--account LOGIN]
       causeway token revoke ID [--account LOGIN]

  --name NAME       what the token is for, such as laptop or ci
  --scopes A,B      issues:read, issues:write, projects:read,
                    pull-requests:write, webhooks:write;
                    default: the first three
  --expires TIME    hours, days or weeks: 12h, 90d, 4w; default: never
  --account LOGIN   whose token, by GitHub login. Required with a GitHub App,
                    where the person's role in each repository decides what
                    the token may do; "list" without it shows all accounts.
                    Local mode has a single account

A new token is printed once, as the only text on standard output: only a hash
of it is stored.

Example:

  TOKEN=$(causeway token create --name ci --scopes issues:write --expires 90d)
`,
  'sign-in': `Print a link that opens the account area in a browser, in local mode. It works
once, within an hour, while the service runs. Earlier links are no longer
valid. With a GitHub App, people sign in with GitHub.

Usage: causeway sign-in

Example:

  xdg-open "$(causeway sign-in)"
`,
  'webhook-secret': `Show or rotate the secret that signs webhooks (Standard Webhooks, whsec_…).

Usage: causeway webhook-secret show [--account LOGIN]
       causeway webhook-secret rotate [--account LOGIN]

  --account LOGIN   whose secret, by GitHub login (required with a GitHub App)

For 24 hours after a rotation, webhooks carry two signatures, of the new secret
and of the old one, so receivers can switch over.

Example:

  SIGNING_SECRET=$(causeway webhook-secret show)
`,
  pause: `Stop using the model and posting, until "causeway resume". Reports and
deliveries are still stored, running investigations continue from where they
are, and webhooks to callers are still sent. Works while the service runs, and
survives restarts.

Usage: causeway pause

Example:

  causeway pause
`,
  resume: `Continue after "causeway pause", within 15 seconds.

Usage: causeway resume

Example:

  causeway resume
`,
  worker: `Run jobs only: investigations, webhooks, and what is posted on GitHub. Start as
many workers as you like, on as many machines, with the PostgreSQL database that
DATABASE_URL names. SQLite serves a single process, "causeway serve".

Usage: causeway worker [--concurrency N]

  --concurrency N   investigations at a time in this process, 1 to 64
                    (default: CONCURRENCY, or 4)

It needs the same settings as "causeway serve", above all DATABASE_URL,
ENCRYPTION_KEY and the App's APP_ID, PRIVATE_KEY and WEBHOOK_SECRET. It answers
/healthz, /readyz and /metrics on WORKER_PORT (default: 3001; 0: any free one).
On SIGTERM its jobs go back to the queue, and another worker continues them.

Example:

  DATABASE_URL=postgres://causeway@db/causeway causeway worker --concurrency 8
`,
  init: `Write the two files with which a repository has Causeway run as an action:
.github/workflows/causeway.yml and .github/causeway.yml. A file that is there
stays as it is. docs/action.md says what the action does. In a terminal it asks
for the first three options where none of them is given.

Usage: causeway init [--mode MODE] [--model NAME] [--key SECRET]
                     [--uses OWNER/NAME@TAG] [--yes]

  --mode    observe (writes nothing), comment (no pull requests; the default)
            or fix
  --model   the model to ask; without one the answer is a search of the source
  --key     the secret with its key; default: OPENAI_API_KEY, for a Claude
            model ANTHROPIC_API_KEY
  --uses    where the action is published; default: with this program
  --yes     ask nothing: what is not given has its default

Example:

  causeway init --mode fix --model gpt-5.6-terra
`,
  'check-config': `Find what is wrong with the files that a repository has for Causeway: its
configuration, and the workflow that runs it as an action (permissions,
concurrency, workflows that were renamed). Each fault is a line with file, line
and repair.

Usage: causeway check-config [FILE]

  FILE   one file instead of all: .github/causeway.yml or a workflow

Exit codes: 0 no fault, 1 faults, 2 there is nothing to check.

Example:

  causeway check-config
`,
  action: `Do the work of one job of GitHub Actions: read the event that started the job,
investigate, write the answer on GitHub, and end. Workflows use the action,
which runs this; docs/action.md has the workflow. It keeps no records: what it
knows of earlier jobs is what GitHub shows.

Usage: causeway action

It reads what a runner sets (GITHUB_EVENT_PATH, GITHUB_REPOSITORY, RUNNER_TEMP
and others), the step's inputs as INPUT_TOKEN, INPUT_MODEL and INPUT_MODE, and
keys of models from the environment.

Exit codes: 0 it did its job, whatever it found; 1 the set-up is wrong.

Example:

  causeway action
`,
  migrate: `Bring the database schema up to date, print what was done, and exit. "serve" and
"worker" do this themselves when they start; use it to migrate before a
deployment.

Usage: causeway migrate

With SQLite, stop the service first. A migration can't be undone: make a backup
before it.

Example:

  causeway backup && causeway migrate
`,
  backup: `Copy the SQLite database to a file while the service runs. The copy is
consistent, has mode 600, and is checked: every page, every reference, and the
rows of every table against the original. Existing files are never overwritten.

Usage: causeway backup [FILE]

  FILE   where to; default: backups/causeway-DATE.db in DATA_DIR

The copy doesn't contain the key: store encryption.key of DATA_DIR (or
ENCRYPTION_KEY) separately. "causeway restore" restores a copy. With PostgreSQL
this prints the pg_dump command to use instead.

Example:

  causeway backup /mnt/backups/causeway-monday.db
`,
  restore: `Replace the SQLite database with a backup. Stop the service first. The backup is
checked before anything changes: every page and reference, its schema, and
whether the key of DATA_DIR opens it. The previous database is kept.

Usage: causeway restore FILE [--yes]

  FILE    a copy that "causeway backup" made
  --yes   confirm; without it this checks the backup, prints what would be
          done, and changes nothing

Everything accepted since the backup is lost. With PostgreSQL use pg_restore.

Example:

  causeway restore data/backups/causeway-20261120-031500.db --yes
`,
  move: `Copy all records from SQLite to PostgreSQL. Stop the service first. SQLite is
only read; everything is copied in one transaction, and the rows of every table
are counted on both sides. If interrupted, nothing is left behind: run it again.

Usage: causeway move [--from sqlite:FILE] [--to postgres://...]

  --from sqlite:FILE     default: causeway.db in DATA_DIR
  --to postgres://...    an empty database; default: DATABASE_URL, which keeps
                         the password out of the list of processes

Encrypted secrets stay encrypted, with the same ENCRYPTION_KEY (or the file
encryption.key next to the database); the key is checked first. Waiting jobs are
moved too, and so are failed ones, for "causeway redrive". No job runs until a
service starts on the new database.

Example:

  DATABASE_URL=postgres://causeway:SECRET@db/causeway causeway move
`,
  redrive: `Retry permanently failed jobs, up to three more times each. Works while the
service runs. /readyz and /metrics show how many there are.

Usage: causeway redrive [KIND]

  KIND   run, webhook, delivery, urgent-delivery, publish, head, check-run,
         backfill, outcome, known, put-back or prove; default: every kind

Find out first why they failed: the log has a line for each. What has ended in
the meantime, such as an investigation reported as failed, is not repeated.

Example:

  causeway redrive publish
`,
  erase: `Permanently delete a person or a project, at their request, and print how much
was deleted. Works while the service runs, and can be repeated.

Usage: causeway erase --account LOGIN --yes
       causeway erase --project OWNER/NAME --yes

  --account LOGIN       a person, by GitHub login (or GitHub's user number):
                        sessions, tokens, secrets, webhooks, name and number.
                        Investigations that they started stay with the
                        project, without their name
  --project OWNER/NAME  reports, issues, checks and figures, and the source and
                        evaluations on this machine; other machines delete
                        their source within an hour
  --yes                 confirm

Uninstall the App from the project first, or the project comes back, empty.
Nothing on GitHub, in backups or in logs is deleted.

Example:

  causeway erase --project octo/shop --yes
`,
  doctor: `Check everything that the service depends on, and print how to fix what doesn't
work: settings, Node, git, data folder, disk, database and key, the App with its
permissions and installations, webhook and last deliveries, PUBLIC_URL, model,
clock, monitoring. Changes nothing, and works while the service runs.

Usage: causeway doctor [--json]

  --json   for machines: {"ok": …, "findings": [{"check", "status", "found",
           "repair"}]}, where status is ok, warn or fail

Sends the model one short question and prints what it cost. The output contains
no secrets. Exit codes: 0 all good, 1 something failed.

Example:

  causeway doctor
`,
  help: `List the commands, or explain one.

Usage: causeway help [COMMAND]

Example:

  causeway help analyse
`,
  version: `Print the version.

Usage: causeway version

Example:

  causeway version
`,
} as const;

/** The commands, and `causeway` for the overview. */
export type Topic = keyof typeof TEXTS;
export const TOPICS = Object.keys(TEXTS) as readonly Topic[];

/** The help text of the topic; ends with a line feed. */
export function getHelpText(topic: Topic): string {
  return TEXTS[topic];
}
