// Proofs of pull requests that are not ours: what each came to, and a new one.
import { z } from '@hono/zod-openapi';
import { createId } from '../core/ids.ts';
import { isAtLeast, isGithubProject } from '../core/project/index.ts';
import { describeFullDay, describeProofPlan, type ForeignProof, toForeignView } from '../core/proof/index.ts';
import type { AskedProof } from '../db/index.ts';
import { findVisibleProject, isId } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { readJson } from './body.ts';
import { countSecondsUntil, parseOrRefuse, refuse, refuseAbsent } from './problem.ts';
import { Timestamp } from './schemas.ts';

export const ProofParams = z.object({
  projectId: z.string().openapi({ description: 'Identifier of the project.', example: 'prj_5Nf8sLw2QdVxJ7aG3uKp' }),
  number: z.string().openapi({ description: 'Number of the pull request.', example: '17' }),
});

export const AskProofBody = z
  .object({
    head: z
      .string()
      .regex(/^[0-9a-f]{40}$/, 'The full sha of the head of the pull request, in lower case.')
      .openapi({ description: 'Full sha of its head: a newer one is not pushed for.' }),
  })
  .strict();

const RunSchema = z.object({ url: z.string(), at: z.string() });
const ProvenCheckSchema = z.object({ name: z.string(), red: RunSchema, green: RunSchema });

const ForeignCertificateSchema = z.object({
  kind: z.literal('foreign'),
  repository: z.string(),
  pullRequest: z.string(),
  state: z.literal('proven'),
  head: z.string(),
  base: z.string(),
  testCommit: z.string(),
  redBase: z.string(),
  greenBase: z.string(),
  author: z.string(),
  checks: z.array(ProvenCheckSchema),
  turned: z.array(z.string()),
  diffHash: z.string(),
});

const PROOF_FIELDS = {
  id: z.string(),
  projectId: z.string(),
  pullRequest: z.int(),
  head: z.string(),
  state: z
    .enum([
      ...(['running', 'refused', 'proven', 'not_reproduced'] as const),
      ...(['fails_otherwise', 'not_covered', 'not_run', 'base_red'] as const),
    ])
    .openapi({
      description: 'Only `proven` proves anything; `refused`: nothing was pushed, or what was is given up.',
    }),
  result: z.string().openapi({ description: 'What it came to, in a sentence; empty while it runs.' }),
  tests: z
    .array(z.string())
    .openapi({ description: 'Tests that the pull request adds, or changes where it adds none.' }),
  places: z
    .array(z.object({ path: z.string(), title: z.string() }))
    .openapi({ description: 'In which file each of them is, as far as that is known.' }),
  quiet: z.array(z.string()).openapi({ description: 'Those of them that did not fail without its change.' }),
  firstError: z.string().openapi({ description: 'Of the tests alone; empty: none.' }),
  checks: z.array(ProvenCheckSchema),
  turned: z.array(z.string()).openapi({ description: 'Tests that failed without the change and pass with it.' }),
  redBase: z.string().openapi({ description: 'What the tests alone were merged with; empty: not known.' }),
  greenBase: z.string().openapi({ description: 'What the head was merged with; empty: not known.' }),
  branch: z
    .string()
    .openapi({ description: 'Our branch with the tests alone, from the push until its checks have ended.' }),
  testCommit: z.string(),
  draft: z.int().nullable().openapi({ description: 'Number of our draft; null: nothing was pushed.' }),
  commands: z.array(z.string()).openapi({ description: 'Lines for a shell in a clone, to see both halves oneself.' }),
  instructions: z.array(z.string()).openapi({
    description:
      'What to do about the tests, what is expected, and what not to do: sentences of ours without a word from outside. Empty unless `not_reproduced` or `fails_otherwise`.',
  }),
  certificate: ForeignCertificateSchema.nullable().openapi({
    description: 'What `causeway verify-proof` checks; null where it is not proven.',
  }),
  createdAt: Timestamp,
};

export const ForeignProofSchema = z
  .object(PROOF_FIELDS)
  .openapi('ForeignProof', { description: 'The proof of a pull request that is not ours.' });

export const AskedForeignProofSchema = z
  .object({
    ...PROOF_FIELDS,
    notice: z.string().openapi({
      description: 'What will be pushed and what it costs, in sentences; nothing is pushed before this answer.',
    }),
  })
  .openapi('AskedForeignProof', { description: 'A proof that was asked for.' });

/** GET /api/v1/projects/{projectId}/proofs/{number}/ */
export async function getForeignProof(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { project } = await findProved(c, deps);
  const proof = await deps.store.findProofOfPull(project.id, readNumber(c));
  return c.json(await toView(deps, proof ?? refuseAbsent(), project.name));
}

/** POST /api/v1/projects/{projectId}/proofs/{number}/ */
export async function askForeignProof(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { value } = await readJson(c);
  const { head } = parseOrRefuse(AskProofBody, value);
  const { project, role } = await findProved(c, deps);
  const { githubId: id, login } = getAsking(c).account;
  // Who sees the project may know why.
  if (!isAtLeast(role, 'write'))
    refuse(
      403,
      `Nothing was started: it takes write access to ${project.name}, and the role of ${login} there is ${role}.`,
    );
  if (id === null) refuse(403, 'Nothing was started: a proof is asked for by a person with an account on GitHub.');
  if (!isGithubProject(project)) refuse(409, "This project isn't on GitHub, so no CI can prove anything there.");
  const { noPullRequests, ciRunsDay: limit } = await deps.settingsOf(project, getAsking(c).signal);
  if (noPullRequests !== '') refuse(409, noPullRequests);
  const now = deps.now().toISOString();
  const asked = await deps.store.askProof(
    {
      ...{ id: createId('prf'), projectId: project.id, pullRequest: readNumber(c), head },
      ...{ commentId: null, askedBy: { id, login }, askedAt: now },
    },
    { now, limit },
  );
  if (asked.kind === 'full') return refuseFullDay(asked, deps.now());
  return c.json({ ...(await toView(deps, asked.proof, project.name)), notice: describeNotice(deps, asked) }, 202);
}

const SECONDS_LATER = 3_600;

function refuseFullDay(day: Extract<AskedProof, { readonly kind: 'full' }>, now: Date): never {
  const { limit, freeAt } = day;
  const detail = `Nothing was started: ${describeFullDay(day)}.`;
  if (limit === 0) refuse(409, detail);
  const seconds = freeAt === null ? SECONDS_LATER : countSecondsUntil(new Date(freeAt), now);
  return refuse(429, detail, { headers: { 'Retry-After': String(seconds) } });
}

function describeNotice({ isPaused }: ApiDeps, asked: Exclude<AskedProof, { readonly kind: 'full' }>): string {
  const { proof, ahead } = asked;
  const paused = isPaused() ? ' The operator has paused this service: it goes on when that ends.' : '';
  if (asked.kind === 'running') return `A proof of this head was asked for before, so nothing more is pushed.${paused}`;
  const { progress, pullRequest } = proof;
  const run = progress.phase === 'asked' ? progress.run : undefined;
  const turn = ahead === null ? '' : ` It waits until the proof of pull request ${ahead.pullRequest} has ended.`;
  return `${describeProofPlan({ pullRequest, run })}${turn}${paused}`;
}

async function findProved(c: ApiContext, deps: ApiDeps) {
  const id = c.req.param('projectId') ?? '';
  // Names are for bodies and queries: in a path, their slash would make another path.
  return (isId(id) ? await findVisibleProject(deps, getAsking(c), id) : null) ?? refuseAbsent();
}

function readNumber(c: ApiContext): number {
  const number = c.req.param('number') ?? '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : refuseAbsent();
}

/** Titles and errors come from logs. */
async function toView({ redactor }: ApiDeps, proof: ForeignProof, repository: string) {
  return await redactor.redactJson(toForeignView(proof, repository));
}
