// A conclusion is looked at before it is taken: what does not hold is told to the model once, so that it can mend or drop it.
import type { ChangeSet } from '../core/change-set.ts';
import { changesSomething } from '../core/diff/diff.ts';
import { checkEvidence, type EvidenceGround } from './check-evidence.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';

export interface ReviewGround extends Pick<EvidenceGround, 'exists' | 'commitExists' | 'failedCheck'> {
  /** Steps that were taken before the model was asked; it may cite them too. */
  readonly earlierSteps: EvidenceGround['steps'];
  /** What the edits come to now. */
  readonly changeSet: () => ChangeSet;
}

/** More would not be read. */
const MOST_FAULTS = 10;

/** What the model should mend before its conclusion is taken, in words; null where all holds. Throws only what the ground throws. */
export async function reviewDraft(
  draft: ConclusionDraft,
  steps: EvidenceGround['steps'],
  ground: ReviewGround,
): Promise<string | null> {
  const changeSet = ground.changeSet();
  const { faults } = await checkEvidence(draft, { ...ground, steps: [...ground.earlierSteps, ...steps], changeSet });
  const all = [...editFaults(draft, changeSet), ...faults].slice(0, MOST_FAULTS);
  if (all.length === 0) return null;
  return [
    'The conclusion is not taken yet:',
    ...all.map((fault) => `- ${fault}`),
    'Mend or drop these and conclude again: this is the only chance, what then does not hold is left out. All else must be in it as before.',
  ].join('\n');
}

function editFaults({ outcome }: ConclusionDraft, { files }: ChangeSet): readonly string[] {
  if (outcome !== 'code_fix' || files.some(changesSomething)) return [];
  return ['The outcome is code_fix, but no file was changed. Make the edits first, or choose another outcome.'];
}
