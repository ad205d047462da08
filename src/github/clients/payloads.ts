// What is read of people, issues and comments in GitHub's payloads and answers, and who counts as a person.
import type { Person } from '../../core/project/index.ts';
import type { AppIdentity } from './github-clients.ts';

/** Null: a deleted user. */
export type GithubUser =
  | { readonly id: number; readonly login: string; readonly type?: string | undefined }
  | null
  | undefined;

interface Authored {
  readonly user?: GithubUser;
  readonly performed_via_github_app?: { readonly id?: number | null | undefined } | null | undefined;
}

export interface IssuePayload extends Authored {
  readonly number: number;
  readonly title: string;
  readonly body?: string | null | undefined;
  readonly created_at: string;
  readonly updated_at: string;
  readonly comments?: number | undefined;
  readonly state?: string | undefined;
  readonly labels?: readonly { readonly name: string }[] | undefined;
  /** Present where the subject is a pull request. */
  readonly pull_request?: object | null | undefined;
}

export interface CommentPayload extends Authored {
  readonly id: number;
  readonly body?: string | null | undefined;
  readonly created_at: string;
}

/** GitHub's placeholder for deleted accounts. */
const GHOST_ID = 10_137;

/** Bots set labels and answer each other; every analysis is started by a person. */
export function isBot(found: GithubUser): boolean {
  return found?.type === 'Bot';
}

/** GitHub answers with an empty object where there is no user. */
export function toUser(found: object | null | undefined): GithubUser {
  const { id, login, type } = (found ?? {}) as Partial<NonNullable<GithubUser>>;
  return typeof id === 'number' && typeof login === 'string' ? { id, login, type } : null;
}

/** Null for a deleted account. */
export function toPerson(found: GithubUser): Person | null {
  if (!found || found.id === GHOST_ID) return null;
  return { id: found.id, login: found.login };
}

/** Our check runs are named so, in the list of checks. */
export const CHECK_NAME = 'Causeway';

/** Whether we made the check run: by its App and, where that is shared, by the name and the head that we give ours. */
export function isOwnCheck(
  { appId, isShared }: Pick<AppIdentity, 'appId' | 'isShared'>,
  run: {
    readonly name?: string;
    readonly external_id?: string | null;
    readonly app?: { readonly id?: number | null } | null | undefined;
  },
): boolean {
  if (run.app?.id !== appId) return false;
  return !isShared || (run.name === CHECK_NAME && /^hed_[0-9A-Za-z]{20}$/.test(run.external_id ?? ''));
}

/**
 * Whether our bot wrote it, or a person did through our App: our own actions start nothing, so that we never answer
 * ourselves.
 */
export function isOurs(
  { botId, appId }: Pick<AppIdentity, 'appId' | 'botId'>,
  ...actions: readonly Authored[]
): boolean {
  return actions.some(({ user, performed_via_github_app: app }) => user?.id === botId || app?.id === appId);
}
