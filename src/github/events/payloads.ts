// What is read of GitHub's payloads. GitHub's own examples do not all satisfy its published schemas, so only this much is required.
import { z } from 'zod';
import type { Person } from '../../core/thread.ts';
import type { AppIdentity } from '../clients/github-clients.ts';

const number = z.int().positive();
const sha = z.string().regex(/^[0-9a-f]{40,64}$/);

/** Null: a deleted user. */
const user = z.object({ id: number, login: z.string(), type: z.string().optional() }).nullish();
export type GithubUser = z.infer<typeof user>;

const app = z.object({ id: number, slug: z.string().optional() }).nullish();
const installation = z.object({ id: number }).nullish();
const repository = z.object({ id: number, full_name: z.string(), default_branch: z.string().optional() });

const issue = z.object({
  number,
  title: z.string(),
  body: z.string().nullish(),
  user,
  created_at: z.string(),
  updated_at: z.string(),
  comments: z.int().nonnegative().optional(),
  /** Present where the subject is a pull request. */
  pull_request: z.looseObject({}).nullish(),
  performed_via_github_app: app,
});
export type IssuePayload = z.infer<typeof issue>;

const comment = z.object({
  id: number,
  body: z.string().nullish(),
  user,
  created_at: z.string(),
  performed_via_github_app: app,
});
export type CommentPayload = z.infer<typeof comment>;

const inRepository = { repository, installation, sender: user };

export const issueLabeled = z.object({ ...inRepository, issue, label: z.object({ name: z.string() }) });
export const issueChanged = z.object({ ...inRepository, issue: z.object({ number }) });
export const commentCreated = z.object({ ...inRepository, issue, comment });
export const pullRequestChanged = z.object({
  ...inRepository,
  action: z.string(),
  pull_request: z.object({
    number,
    head: z.object({ ref: z.string(), sha: sha.nullish(), repo: z.object({ id: number }).nullish() }),
  }),
  /** Of new commits: the head before them. */
  before: sha.nullish(),
});

/** None of a fork, even where there is one. */
const pulls = z.array(z.object({ number })).nullish();
export const checkSuiteCompleted = z.object({
  ...inRepository,
  check_suite: z.object({
    head_branch: z.string().nullish(),
    head_sha: sha.nullish(),
    conclusion: z.string().nullish(),
    pull_requests: pulls,
    app,
  }),
});
export const checkRunCompleted = z.object({
  ...inRepository,
  check_run: z.object({
    id: number.nullish(),
    name: z.string().nullish(),
    head_sha: sha.nullish(),
    conclusion: z.string().nullish(),
    completed_at: z.string().nullish(),
    app,
    check_suite: z.object({ head_branch: z.string().nullish() }).nullish(),
  }),
});
export const statusCreated = z.object({
  ...inRepository,
  sha: sha.nullish(),
  state: z.string().nullish(),
  context: z.string().nullish(),
  updated_at: z.string().nullish(),
  /** Those that contain the commit, at their tip or not. */
  branches: z.array(z.object({ name: z.string(), commit: z.object({ sha: z.string() }).nullish() })).default([]),
});
export const actionRequested = z.object({
  ...inRepository,
  check_run: z.object({ app, external_id: z.string().nullish() }),
  requested_action: z.object({ identifier: z.string() }).nullish(),
});
export const pushed = z.object({
  repository: repository.extend({ owner: z.object({ login: z.string().optional() }).optional() }),
  ref: z.string(),
  forced: z.boolean().optional(),
  commits: z
    .array(
      z.object({
        added: z.array(z.string()).default([]),
        modified: z.array(z.string()).default([]),
        removed: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});
export const installationChanged = z.object({ installation: z.object({ id: number }) });
export const repositoryChanged = z.object({ repository, installation });
export const authorizationRevoked = z.object({ sender: user });

/** GitHub's placeholder for deleted accounts. */
const GHOST_ID = 10_137;

/** Bots set labels and answer each other; every analysis is started by a person. */
export function isBot(found: GithubUser): boolean {
  return found?.type === 'Bot';
}

/** GitHub answers with an empty object where there is no user. */
export function userOf(found: object | null | undefined): GithubUser {
  const read = user.safeParse(found);
  return read.success ? read.data : null;
}

/** Null for a deleted account. */
export function personOf(found: GithubUser): Person | null {
  if (!found || found.id === GHOST_ID) return null;
  return { id: found.id, login: found.login };
}

interface Action {
  readonly sender?: GithubUser;
  readonly user?: GithubUser;
  readonly performed_via_github_app?: { readonly id: number } | null | undefined;
}

/** Whether our bot did or wrote it, or somebody did it through our App: our own actions never start anything, so that we cannot talk to ourselves. */
export function isOurs(identity: Pick<AppIdentity, 'appId' | 'botId'>, ...actions: readonly Action[]): boolean {
  return actions.some(
    ({ sender, user, performed_via_github_app: app }) =>
      sender?.id === identity.botId || user?.id === identity.botId || app?.id === identity.appId,
  );
}
