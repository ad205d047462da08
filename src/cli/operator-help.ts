// What `causeway help` says about the commands for operators.

export const OPERATOR_TEXTS = {
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
is only read. Ended at any point, the same command goes on where it stood. At
the end every table is compared, row for row, by count and checksum.

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
