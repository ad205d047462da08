// The second look: what a second conversation with a model, which tries to refute a cause and its fix, came to, and what
// follows from that. Pure.

/** A line of the analysed source, or of the change, that was found where it is said to be. */
export interface LookEvidence {
  readonly file: string;
  /** 0 if unknown. */
  readonly line: number;
  readonly quote: string;
}

interface LookUsage {
  readonly turns: number;
  readonly promptTokens: number;
  /** Both tokens of a cache: absent in older records, and where there are none. */
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly completionTokens: number;
  readonly costUsd: number;
}

interface LookFacts {
  /** In the model's words; why there is no verdict, where there is none. */
  readonly reason: string;
  readonly evidence: readonly LookEvidence[];
  readonly model: string;
  readonly usage: LookUsage;
}

export type SecondLook = LookFacts &
  (
    | { readonly verdict: 'agrees' }
    | { readonly verdict: 'doubts' | 'refutes'; readonly confidenceBefore: number }
    /** `isRepaired`: the first conversation has changed its fix. */
    | { readonly verdict: 'repair'; readonly confidenceBefore: number; readonly isRepaired: boolean }
    | { readonly verdict: 'not_done' }
  );

/** The tool that ends a second look. */
export const JUDGE = 'judge';

/** A result that no second look agreed with opens no pull request unasked below. */
const SURE_ALONE = 0.9;

/** `threshold`: from which confidence on a pull request may open unasked; see calibration.ts. */
export function isSureEnough(confidence: number | null, look: SecondLook | null, threshold: number): boolean {
  const isHeldBack =
    look?.verdict === 'doubts' || look?.verdict === 'refutes' || (look?.verdict === 'repair' && !look.isRepaired);
  return !isHeldBack && (confidence ?? 0) >= (look?.verdict === 'agrees' ? threshold : Math.max(threshold, SURE_ALONE));
}

/** Confidence that a doubt takes at least, and what is left of it at most. */
const LOST = 0.15;
const MOST_LEFT = { doubts: 0.7, refutes: 0.4 } as const;

/** `confidence`: of the result as it is now. Never more than it, nor than before the look. */
export function lowerByLook(confidence: number | null, look: SecondLook): number | null {
  if (confidence === null || look.verdict === 'agrees' || look.verdict === 'not_done') return confidence;
  const most = Math.min(confidence, look.confidenceBefore);
  if (look.verdict === 'repair' && look.isRepaired) return most;
  const left = MOST_LEFT[look.verdict === 'refutes' ? 'refutes' : 'doubts'];
  return Math.max(0, Math.floor(Math.min(most - LOST, left) * 100 + 1e-6) / 100);
}

/** What it came to, without the reason. */
export function nameLook(look: SecondLook): string {
  switch (look.verdict) {
    case 'agrees':
      return 'A second review found nothing against it';
    case 'doubts':
      return 'A second review has doubts';
    case 'refutes':
      return 'A second review refutes it';
    case 'repair':
      return look.isRepaired
        ? 'A second review asked for a repair, which is included'
        : 'A second review asks for a repair';
    case 'not_done':
      return 'No second review';
  }
}

/** In the model's words, untrusted, with its places; "" for none. */
export function explainLook({ reason, evidence }: SecondLook): string {
  const places = evidence.map(({ file, line }) => (line > 0 ? `${file}:${line}` : file));
  const where = places.length === 0 ? '' : ` (${[...new Set(places)].join(', ')})`;
  return endSentence(`${reason.replace(/\.$/, '')}${where}`);
}

export function addLookUsage<T extends LookUsage>(usage: T, look: LookUsage | null): T {
  if (look === null) return usage;
  const cacheWriteTokens = (usage.cacheWriteTokens ?? 0) + (look.cacheWriteTokens ?? 0);
  return {
    ...usage,
    turns: usage.turns + look.turns,
    promptTokens: usage.promptTokens + look.promptTokens,
    cachedTokens: (usage.cachedTokens ?? 0) + (look.cachedTokens ?? 0),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    completionTokens: usage.completionTokens + look.completionTokens,
    costUsd: usage.costUsd + look.costUsd,
  };
}

/** On one line. The reason is untrusted. */
export function describeLook(look: SecondLook): string {
  const why = look.reason === '' ? '' : explainLook(look);
  return why === '' ? `${nameLook(look)}.` : `${nameLook(look)}: ${why}`;
}

/** Whether people who decide on the result have to know of it. */
export function changesResult(look: SecondLook | null): look is SecondLook {
  return look !== null && look.verdict !== 'agrees' && look.verdict !== 'not_done';
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
