// What is read of GitHub's payloads. GitHub's own examples do not all satisfy its published schemas, so that only this much is asked of them.
import { z } from 'zod';
import type { Person } from '../../domain/thread.ts';

const number = z.int().positive();

/** Null: a deleted user. */
const user = z.object({ id: number, login: z.string(), type: z.string().optional() }).nullish();
export type GithubUser = z.infer<typeof user>;

const app = z.object({ id: number }).nullish();
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
  /** There where the subject is a pull request. */
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
  pull_request: z.object({
    number,
    head: z.object({ ref: z.string(), repo: z.object({ id: number }).nullish() }),
  }),
});

const suite = z.object({ head_branch: z.string().nullish(), app });
export const checkSuiteCompleted = z.object({ ...inRepository, check_suite: suite });
export const checkRunCompleted = z.object({
  ...inRepository,
  check_run: z.object({ app, check_suite: suite.nullish() }),
});
export const statusCreated = z.object({
  ...inRepository,
  branches: z.array(z.object({ name: z.string() })).default([]),
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

/** GitHub's own stand-in for people who deleted their account. */
const GHOST_ID = 10_137;

/** Bots set labels and answer each other; a person stands behind every analysis. */
export function isBot(found: GithubUser): boolean {
  return found?.type === 'Bot';
}

/** Null where nobody can be named any more. */
export function personOf(found: GithubUser): Person | null {
  if (!found || found.id === GHOST_ID) return null;
  return { id: found.id, login: found.login };
}
