// What `causeway help` says: one text a command, at most 80 columns wide, each with an example.
import type { Topic } from './command.ts';

const OPERATOR_TEXTS = {
  worker: `Run jobs only: investigations, webhooks, what is done on GitHub. As many workers
as you like, on as many machines, all over the PostgreSQL database that
DATABASE_URL names. SQLite belongs to one process, which is "causeway serve".

Usage: causeway worker [--concurrency N]

  --concurrency N   investigations at a time in this process, 1 to 64
                    (CONCURRENCY, 4)

It needs the same settings as "causeway serve", above all DATABASE_URL,
ENCRYPTION_KEY and the App's APP_ID, PRIVATE_KEY and WEBHOOK_SECRET. It answers
/healthz, /readyz and /metrics on WORKER_PORT (3001; 0: any). SIGTERM hands
back what runs: another worker goes on with it.

Example:

  DATABASE_URL=postgres://causeway@db/causeway causeway worker --concurrency 8
`,
  migrate: `Bring the schema of the database up to date, say what was done, and end.
"serve" and "worker" do so by themselves when they start, once however many
start together; this is for a deployment that wants it done before.

Usage: causeway migrate

With SQLite no service may run meanwhile. There is no way back down: make a
backup first.

Example:

  causeway backup && causeway migrate
`,
  backup: `Copy the SQLite database to a file, while the service runs. The copy is of one
moment, has mode 600, and is checked: every page, every reference, and the rows
of every table against the original. A file that is there is never written over.

Usage: causeway backup [FILE]

  FILE   where to; without it backups/causeway-DATE.db in DATA_DIR

The copy holds no key: keep encryption.key of DATA_DIR (or ENCRYPTION_KEY) as
well, somewhere else. "causeway restore" puts a copy back. For PostgreSQL this
says the pg_dump that does it.

Example:

  causeway backup /mnt/backups/causeway-monday.db
`,
  restore: `Put a backup in place of the SQLite database. The service must be stopped. The
backup is checked first: every page and reference, its schema, and whether the
key of DATA_DIR opens it. The previous database is kept beside the restored one.

Usage: causeway restore FILE [--yes]

  FILE    a copy that "causeway backup" made
  --yes   confirm; without it this checks the backup, says what would be done,
          and changes nothing

What was accepted since the backup is lost. For PostgreSQL use pg_restore.

Example:

  causeway restore data/backups/causeway-20261120-031500.db --yes
`,
  move: `Copy all records from SQLite to PostgreSQL. The service must be stopped; SQLite
is only read. All records are copied in one transaction, and the rows of every
table are counted on both sides. If interrupted it leaves nothing: run it again.

Usage: causeway move [--from sqlite:FILE] [--to postgres://...]

  --from sqlite:FILE     without it causeway.db in DATA_DIR
  --to postgres://...    an empty database; without it DATABASE_URL, which keeps
                         the password out of the list of processes

Sealed secrets stay sealed: the same ENCRYPTION_KEY (or encryption.key beside
the file) opens them afterwards, and it is checked that it does. What waits to
be done goes over, as does what was given up, for "causeway redrive". Nothing is
done until a service starts on the new database.

Example:

  DATABASE_URL=postgres://causeway:SECRET@db/causeway causeway move
`,
  doctor: `Check everything that the service depends on once, and say how to fix what does
not work: settings, Node, git, data folder, disk, database and key, the App
with its permissions and installations, webhook and last deliveries, PUBLIC_URL,
model, clock, monitoring. Changes nothing, and works beside a running service.

Usage: causeway doctor [--json]

  --json   for machines: {"ok": …, "findings": [{"check", "status", "found",
           "repair"}]}, where status is ok, warn or fail

The model is asked one question of a few tokens, whose price is said. Nothing
that is printed holds a secret. Exit codes: 0 works, 1 something does not.

Example:

  causeway doctor
`,
  erase: `Erase a person or a project, at their request, and say in numbers what went.
There is no way back. Works beside a running service, and may be repeated.

Usage: causeway erase --account LOGIN --yes
       causeway erase --project OWNER/NAME --yes

  --account LOGIN       sessions, tokens, secrets, webhooks, name and number of
                        somebody on GitHub (or GitHub's number of them). What
                        they started stays its project's, and names nobody
  --project OWNER/NAME  reports, issues, checks and figures, and the source on
                        this machine; other machines follow within an hour
  --yes                 confirm

Uninstall the App from the project first, or it comes back, empty. What stands
on GitHub stays there, and backups and logs keep what they hold.

Example:

  causeway erase --project octo/shop --yes
`,
  redrive: `Give jobs that were given up after their last try another three tries. Works
beside a running service. /readyz and /metrics say how many there are.

Usage: causeway redrive [KIND]

  KIND   run, webhook, delivery, urgent-delivery, publish, head, check-run or
         backfill; without it every kind

Find out first why they failed: the log has a line for each. What has ended
meanwhile, such as an investigation that was told as failed, is not done again.

Example:

  causeway redrive publish
`,
} as const;

const TEXTS: Readonly<Record<Topic, string>> = {
  ...OPERATOR_TEXTS,
  causeway: `Causeway: from a problem, to its cause, to its fix.

Usage: causeway COMMAND [OPTIONS]

  serve            run the service: REST API, webhooks, worker
  analyse          investigate one report, here in the terminal
  sign-in          print a link that opens the account area
  demo             see it work on a real bug in a small repository
  token            make, list and revoke access tokens
  webhook-secret   show or rotate the secret that signs webhooks
  pause, resume    stop asking the model and posting, and go on
  worker           run jobs only, over PostgreSQL
  migrate          bring the database's schema up to date
  backup           copy the SQLite database, while the service runs
  restore          put a backup in place of the SQLite database
  move             from SQLite to PostgreSQL
  redrive          try given-up jobs again
  erase            forget a person, or a project
  doctor           check everything that the service depends on
  help COMMAND     more about one command
  version          the version

Try it:

  causeway demo
  causeway analyse "TypeError: cart.total is not a function" --repo ../shop

Exit codes: 0 success, 1 failed, 2 usage error, 3 the model refused and only
facts were printed, 130 stopped with Ctrl-C.
Settings are environment variables; docs/configuration.md lists them.
`,
  serve: `Run the service, in the mode that its settings ask for:

  local    without GitHub App credentials: loopback only, one account, the
           projects are git repositories on this disk. LOCAL_MODE=1 insists
  set-up   without credentials, but with a PUBLIC_URL or HOST that others
           reach: only the page /setup, on which the App is made
  GitHub   with APP_ID, PRIVATE_KEY (or PRIVATE_KEY_PATH) and WEBHOOK_SECRET,
           or once set-up has made the App

Usage: causeway serve [--no-worker]

  --no-worker   take and keep reports only: they are investigated, and their
                webhooks sent, by "causeway worker" over PostgreSQL, and with
                SQLite from the next start without it

Local mode: PROJECTS names the repositories, separated by ":" (";" on Windows).
Without it they are the one around the current folder and a demo project with a
finished issue. The first start prints a token and a curl that you can paste.
Ctrl-C stops the service; what was running continues at the next start.

Examples:

  PROJECTS=~/code/shop PORT=8080 causeway serve
  HOST=0.0.0.0 PUBLIC_URL=https://causeway.example.com causeway serve
`,
  analyse: `Investigate one report in the terminal, with the steps as they happen.
Steps go to standard error, the answer to standard output.

Usage: causeway analyse ["TEXT" | - | URL] [OPTIONS]

  TEXT               the report, in quotes
  -                  read the report from standard input (as does a pipe)
  URL                a GitHub issue, or a failed Actions run or job
                     (GITHUB_TOKEN is needed for private ones and for logs)

  --repo PATH|URL    the repository; without it the one around this folder,
                     or the one that URL belongs to
  --revision REV     a branch, tag or commit; without it the default branch,
                     or the commit that failed
  --log FILE|-       a log that belongs to the report
  --json             print exactly the Issue, as JSON
  --patch FILE       write the change as a unified patch, if there is one

Exit codes: 0 concluded, 1 gave up, 2 usage error, 3 the model refused and only
facts were printed, 130 stopped with Ctrl-C.

Examples:

  causeway analyse "Checkout fails for coupon codes in lower case"
  npm test 2>&1 | causeway analyse --json > issue.json
  causeway analyse "Build is red" --log build.log --revision v2.1.0
  causeway analyse https://github.com/OWNER/REPO/actions/runs/123456789
`,
  demo: `Investigate a real bug in a small repository that comes with Causeway: first
what the source alone shows, then the cause and the fix. The second part asks
the configured model; without one, a script that comes with the demo plays it.
Needs no network, no key and no set-up, works in any folder and leaves nothing
behind.

Usage: causeway demo [--json] [--patch FILE]

  --json             print exactly the Issue of the second part, as JSON
  --patch FILE       write its change as a unified patch

Example:

  causeway demo
`,
  token: `Make, list and revoke the tokens that callers of the API send. Works beside a
running server.

Usage: causeway token create --name NAME [--scopes A,B] [--expires 90d]
       causeway token list
       causeway token revoke ID
       each with --account LOGIN where there is a GitHub App; list alone
       goes without, and shows everybody's

  --name NAME       what the token is for, such as laptop or ci
  --scopes A,B      issues:read, issues:write, projects:read,
                    pull-requests:write; without it the first three
  --expires TIME    hours, days or weeks: 12h, 90d, 4w; without it never
  --account LOGIN   whose token, as GitHub names the person: the role there
                    decides what it may do. Local mode has one account

A new token is printed alone on standard output, once: only a hash is kept.

Example:

  TOKEN=$(causeway token create --name ci --scopes issues:write --expires 90d)
`,
  'sign-in': `Print a link that opens the account area in a browser, in local mode. It works
once, within an hour, and beside a running server. Links printed before it are
no longer valid. With a GitHub App people sign in with GitHub.

Usage: causeway sign-in

Example:

  xdg-open "$(causeway sign-in)"
`,
  'webhook-secret': `Show or rotate the secret that signs webhooks (Standard Webhooks, whsec_…).

Usage: causeway webhook-secret show [--account LOGIN]
       causeway webhook-secret rotate [--account LOGIN]

  --account LOGIN   whose secret, as GitHub names the person (needed with a
                    GitHub App)

After a rotation webhooks carry two signatures for 24 hours, of the new secret
and of the old one, so receivers can switch over.

Example:

  SIGNING_SECRET=$(causeway webhook-secret show)
`,
  pause: `Ask no model and post nothing, until "causeway resume". Reports and deliveries
are kept, and what runs goes on where it stands. Works beside a running server,
and holds over restarts. Webhooks to callers are still sent.

Usage: causeway pause

Example:

  causeway pause
`,
  resume: `Go on after "causeway pause", within 15 seconds.

Usage: causeway resume

Example:

  causeway resume
`,
  help: `Say what there is, or more about one command.

Usage: causeway help [COMMAND]

Example:

  causeway help analyse
`,
  version: `Print the version.

Usage: causeway version

Example:

  causeway version
`,
};

/** The help text of the topic; ends with a line feed. */
export function helpText(topic: Topic): string {
  return TEXTS[topic];
}
