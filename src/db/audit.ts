// The audit log: who did what and when, written in the same transaction and never with the text of a report.
import type { Subject, ThreadRecord, Trigger } from '../core/thread/index.ts';
import { type Database, queryInChunks } from './database.ts';
import type { Reader, Trx } from './schema.ts';

type OperatorVerb = 'token.created' | 'token.revoked' | 'secret.rotated' | 'secret.shown';

type AuditVerb =
  | 'account.made'
  | 'account.erased_by_operator'
  | 'project.erased_by_operator'
  | OperatorVerb
  | `${OperatorVerb}_by_operator`
  | 'session.started'
  | 'session.ended'
  | 'access.revoked'
  | 'webhook.resent'
  | `subscription.${'created' | 'deleted' | 'disabled' | 'rotated'}`
  | 'report.accepted'
  | 'investigation.cancelled'
  | 'issue.erased'
  | 'thread.opened'
  | 'fix.requested'
  | `known.${'tied' | 'ended'}`
  | 'failure.called_mine'
  | 'failure.called_not_mine'
  | 'checks.rerun'
  | 'revert.requested'
  | 'proof.asked'
  | 'installation.made'
  | 'installation.removed';

export interface AuditEntry {
  /** Rises with every entry. */
  readonly number: number;
  readonly at: string;
  /** Login of the account; `github 7` for a person who has none. */
  readonly who: string;
  /** Such as `token.created`. */
  readonly verb: string;
  /** Id of what it was done to. */
  readonly subject: string;
  /** What that is, as far as it is still stored; null: nothing more is known than its id. */
  readonly about: AuditSubject | null;
  readonly projectId: string | null;
}

type AuditSubject =
  /** `isPosted`: something of it is on GitHub. `trigger`: how this entry's person asked; null: a later request has replaced it. */
  | {
      readonly kind: 'thread';
      readonly of: Subject;
      readonly trigger: Trigger['kind'] | null;
      readonly isPosted: boolean;
    }
  /** Of the repository. */
  | { readonly kind: 'issue'; readonly number: number }
  /** `text`: the name, or the caller's own name for a report; `issueId`: what an investigation ended with, or "". */
  | { readonly kind: 'named'; readonly text: string; readonly issueId: string };

interface AuditFilter {
  readonly accountId: string;
  readonly projectIds: readonly string[];
  readonly limit: number;
  /** Only what these did: account ids as in `findActors`. Absent: everyone. */
  readonly actors?: readonly string[];
  /** Only what was done in this one. Absent: everything. */
  readonly projectId?: string;
  /** Only these kinds. Absent: all. */
  readonly verbs?: readonly string[];
  /** `number` of the last entry of the previous page. */
  readonly before?: number;
}

/** The account id of the operator at the terminal. */
export const OPERATOR = 'operator';

/** The account id of a person or owner whom GitHub names: they may have no account here, or get one later. */
export function toGithubActor({ id }: { readonly id: number }): string {
  return `github ${id}`;
}

/** GitHub's number of that person; null: it is the id of an account. */
export function readGithubActor(actor: string): number | null {
  const [, number] = /^github (\d{1,15})$/.exec(actor) ?? [];
  return number === undefined ? null : Number(number);
}

/** The operator may act for people at the terminal: the entry is theirs, and says that they did not do it. */
export function toAuditVerb(verb: OperatorVerb, { byOperator = false }: { readonly byOperator?: boolean }): AuditVerb {
  return byOperator ? `${verb}_by_operator` : verb;
}

/** `accountId`: who did it; see `toGithubActor`. */
export async function writeAudit(
  trx: Trx,
  entry: {
    readonly at: string;
    readonly accountId: string;
    readonly verb: AuditVerb;
    readonly subject: string;
    readonly projectId?: string;
  },
): Promise<void> {
  const { at, accountId, verb, subject, projectId = null } = entry;
  await trx.insertInto('audit').values({ at, account_id: accountId, verb, subject, project_id: projectId }).execute();
}

export function createAuditVerbs(database: Database) {
  return {
    /** Newest first: what the account did, and what was done in these projects. */
    listAuditEntries: (filter: AuditFilter): Promise<readonly AuditEntry[]> =>
      database.read((reader) => listAuditEntries(reader, filter)),
    /** The ids of a person in the log, by their login in any case; none where no account has it. */
    findActors: (login: string): Promise<readonly string[]> =>
      database.read(async (reader) => {
        const rows = await reader
          .selectFrom('accounts')
          .select(['id', 'github_id'])
          .where('login_lower', '=', login.toLowerCase())
          .execute();
        return rows.flatMap(({ id, github_id: githubId }) =>
          githubId === null ? [id] : [id, toGithubActor({ id: githubId })],
        );
      }),
  };
}

async function listAuditEntries(reader: Reader, filter: AuditFilter): Promise<readonly AuditEntry[]> {
  const { accountId, projectIds, limit } = filter;
  if (filter.actors?.length === 0 || filter.verbs?.length === 0) return [];
  const account = await reader
    .selectFrom('accounts')
    .select('github_id')
    .where('id', '=', accountId)
    .executeTakeFirst();
  const actors = account?.github_id ? [accountId, toGithubActor({ id: account.github_id })] : [accountId];
  const own = await listNumbers(reader, 'account_id', actors, filter);
  const theirs = await queryInChunks(projectIds, (some) => listNumbers(reader, 'project_id', some, filter));
  const numbers = [...new Set([...own, ...theirs])].sort((a, b) => b - a).slice(0, limit);
  const rows = await queryInChunks(numbers, (some) =>
    reader
      .selectFrom('audit')
      .leftJoin('accounts', 'accounts.id', 'audit.account_id')
      .selectAll('audit')
      .select(['accounts.login', 'accounts.github_id'])
      .where('audit.seq', 'in', some)
      .execute(),
  );
  const { subjects, people, triggers } = await readSubjects(
    reader,
    rows.map((row) => row.subject),
  );
  const logins = await readLogins(
    reader,
    rows.map((row) => row.account_id),
  );
  return rows
    .map((row) => ({
      number: row.seq,
      at: row.at,
      who: row.login ?? logins.get(row.account_id) ?? people.get(row.account_id) ?? row.account_id,
      verb: row.verb,
      subject: row.subject,
      about: tellAbout(row, subjects.get(row.subject), triggers.get(row.subject)),
      projectId: row.project_id,
    }))
    .sort((a, b) => b.number - a.number);
}

const CLOCKS_DIFFER_MS = 60_000;

/** A thread keeps its latest trigger only: it says how an earlier one was asked for just where it is that entry's own. */
function tellAbout(
  { at, account_id: actor, github_id: githubId }: { at: string; account_id: string; github_id: number | null },
  about: AuditSubject | undefined,
  trigger: Trigger | undefined,
): AuditSubject | null {
  if (about?.kind !== 'thread' || trigger === undefined) return about ?? null;
  const laterMs = Date.parse(trigger.at) - Date.parse(at);
  // Of red checks `by` is the author, but the App itself began them, and both times are of this service.
  const isOwn =
    trigger.kind === 'checks'
      ? readGithubActor(actor) === null && Math.abs(laterMs) <= CLOCKS_DIFFER_MS
      : (actor === toGithubActor(trigger.by) || githubId === trigger.by.id) && laterMs <= CLOCKS_DIFFER_MS;
  return isOwn ? about : { ...about, trigger: null };
}

interface KnownSubjects {
  /** The latest of each thread. */
  readonly triggers: ReadonlyMap<string, Trigger>;
  readonly subjects: ReadonlyMap<string, AuditSubject>;
  /** Logins of people without an account here, as GitHub named them with what they asked for; by their actor. */
  readonly people: ReadonlyMap<string, string>;
}

async function readSubjects(reader: Reader, ids: readonly string[]): Promise<KnownSubjects> {
  const subjects = new Map<string, AuditSubject>();
  const people = new Map<string, string>();
  const triggers = new Map<string, Trigger>();
  const getIds = (prefix: string) => [...new Set(ids.filter((id) => id.startsWith(prefix)))];
  const threads = await queryInChunks(getIds('thr_'), (some) =>
    reader.selectFrom('threads').select(['id', 'subject', 'trigger_json', 'record']).where('id', 'in', some).execute(),
  );
  for (const row of threads) {
    const trigger: Trigger = JSON.parse(row.trigger_json);
    const { kind, by } = trigger;
    triggers.set(row.id, trigger);
    const { comment, pullRequest }: ThreadRecord = JSON.parse(row.record);
    const isPosted = comment !== null || pullRequest !== null;
    subjects.set(row.id, { kind: 'thread', of: JSON.parse(row.subject), trigger: kind, isPosted });
    people.set(toGithubActor(by), by.login);
  }
  const investigations = await queryInChunks(getIds('inv_'), (some) =>
    reader
      .selectFrom('investigations')
      .leftJoin('issues', 'issues.investigation_id', 'investigations.id')
      .select(['investigations.id', 'investigations.reference', 'issues.id as issue_id'])
      .where('investigations.id', 'in', some)
      .execute(),
  );
  for (const { id, reference, issue_id: issueId } of investigations) {
    subjects.set(id, { kind: 'named', text: reference, issueId: issueId ?? '' });
  }
  const tokens = await queryInChunks(getIds('tok_'), (some) =>
    reader.selectFrom('tokens').select(['id', 'name']).where('id', 'in', some).execute(),
  );
  const known = await queryInChunks(getIds('kno_'), (some) =>
    reader.selectFrom('known_issues').select(['id', 'number']).where('id', 'in', some).execute(),
  );
  for (const { id, number } of known) subjects.set(id, { kind: 'issue', number });
  for (const { id, name } of tokens) subjects.set(id, { kind: 'named', text: name, issueId: '' });
  return { subjects, people, triggers };
}

/** Of the people among them whom GitHub named, and who have an account by now. */
async function readLogins(reader: Reader, actors: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(actors)].map(readGithubActor).filter((id) => id !== null);
  const accounts = await queryInChunks(ids, (some) =>
    reader.selectFrom('accounts').select(['github_id', 'login']).where('github_id', 'in', some).execute(),
  );
  return new Map(accounts.flatMap(({ github_id: id, login }) => (id === null ? [] : [[toGithubActor({ id }), login]])));
}

async function listNumbers(
  reader: Reader,
  column: 'account_id' | 'project_id',
  values: readonly string[],
  { limit, before, actors, projectId, verbs }: AuditFilter,
): Promise<readonly number[]> {
  let query = reader.selectFrom('audit').select('seq').where(column, 'in', values).orderBy('seq', 'desc').limit(limit);
  if (before !== undefined) query = query.where('seq', '<', before);
  if (actors !== undefined) query = query.where('account_id', 'in', actors);
  if (projectId !== undefined) query = query.where('project_id', '=', projectId);
  if (verbs !== undefined) query = query.where('verb', 'in', verbs);
  return (await query.execute()).map((row) => row.seq);
}
