// What ends a proof where it is found out, in whatever depth: a list that is longer than is read, or a call that GitHub refuses.
import type { Redactor } from 'causeway-redact';
import { ChecksCut, type NamedCheck } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { MOST_NEEDED, type NeededList, type ProveRefusal, type RefusedCall } from '../../core/proof/index.ts';
import { findGithubFailure, type GithubFailure, readPages } from '../clients/index.ts';
import type { ProveWork } from './prove-work.ts';

/** Becomes the result of the proof, whose text has the repair. */
export class ProofRefused extends CausewayError {
  readonly because: ProveRefusal;

  constructor(because: ProveRefusal) {
    super('github_failed', `A proof is refused (${because.code}): its check run says why.`);
    this.because = because;
  }
}

/** Of 100 each. Checks of a commit are read as far (`checks/list-checks`). */
const MOST_PAGES = MOST_NEEDED / 100;

/** `needed`: refused where it is longer than is read; null: what stands behind that end speaks against nothing. */
export async function readList<T>(
  needed: NeededList | null,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const { items, isCut } = await readPages(MOST_PAGES, read);
  if (isCut && needed !== null) throw new ProofRefused({ code: 'too_many', list: needed });
  return items;
}

export async function readWholeChecks(
  { deps, project, signal }: ProveWork,
  sha: string,
  list: NeededList,
): Promise<readonly NamedCheck[]> {
  try {
    return await deps.checks.listAll(project, sha, signal, 'whole');
  } catch (error) {
    if (error instanceof ChecksCut) throw new ProofRefused({ code: 'too_many', list });
    throw error;
  }
}

/** Null: the error is no refusal, and the step is tried again. */
export async function toProveRefusal(error: unknown, redactor: Pick<Redactor, 'redact'>): Promise<ProveRefusal | null> {
  if (error instanceof ProofRefused) return error.because;
  const failure = findGithubFailure(error);
  if (failure?.kind !== 'refused' && failure?.kind !== 'gone') return null;
  return { code: 'not_permitted', refused: await toRefusedCall(failure, redactor) };
}

/** What GitHub says may quote what was sent, which is ours, or names of the repository. */
export async function toRefusedCall(
  { route, status, permission, said }: GithubFailure,
  redactor: Pick<Redactor, 'redact'>,
): Promise<RefusedCall> {
  // Of a permission that is named, or of what is gone, its words say less than we do.
  const isTold = status !== 404 && permission === '';
  return { route: route ?? '', status, permission, said: isTold ? await redactor.redact(said) : '' };
}
