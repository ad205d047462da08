// Proofs of pull requests that are not ours: what each came to, and a new one.
import { z } from '@hono/zod-openapi';
import { createId } from '../core/ids.ts';
import { isAtLeast, isGithubProject } from '../core/project/index.ts';
import { type ForeignProof, toForeignView } from '../core/proof/index.ts';
import { findVisibleProject, isId } from '../services/index.ts';
import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { readJson } from './body.ts';
import { parseOrRefuse, refuse, refuseAbsent } from './problem.ts';
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

export const ForeignProofSchema = z
  .object({
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
    quiet: z.array(z.string()).openapi({ description: 'Those of them that did not fail without its change.' }),
    firstError: z.string().openapi({ description: 'Of the tests alone; empty: none.' }),
    checks: z.array(ProvenCheckSchema),
    turned: z.array(z.string()).openapi({ description: 'Tests that failed without the change and pass with it.' }),
    redBase: z.string().openapi({ description: 'What the tests alone were merged with; empty: not known.' }),
    greenBase: z.string().openapi({ description: 'What the head was merged with; empty: not known.' }),
    testCommit: z.string(),
    draft: z.int().nullable().openapi({ description: 'Number of our draft; null: nothing was pushed.' }),
    commands: z.array(z.string()).openapi({ description: 'Lines for a shell in a clone, to see both halves oneself.' }),
    certificate: ForeignCertificateSchema.nullable().openapi({
      description: 'What `causeway verify-proof` checks; null where it is not proven.',
    }),
    createdAt: Timestamp,
  })
  .openapi('ForeignProof', { description: 'The proof of a pull request that is not ours.' });

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
  if (!isAtLeast(role, 'write') || id === null) refuseAbsent();
  if (!isGithubProject(project)) refuse(409, "This project isn't on GitHub, so no CI can prove anything there.");
  const now = deps.now().toISOString();
  const { proof } = await deps.store.askProof(
    {
      ...{ id: createId('prf'), projectId: project.id, pullRequest: readNumber(c), head },
      ...{ commentId: null, askedBy: { id, login }, askedAt: now },
    },
    now,
  );
  return c.json(await toView(deps, proof, project.name), 202);
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
