// The Issue: a concluded investigation as the API shows it. The API defines the field names.

import { type ChangeSet, type Diff, toDiff } from 'causeway-diff';
import type { Verdict } from '../check/index.ts';
import type { Outcome, OutcomeView } from '../outcome/index.ts';
import { lowerConfidence, type Proof } from '../proof/index.ts';
import type { InvestigationStep, Origin, SourcedStep } from '../report/index.ts';
import type { ContextRepository } from '../source/index.ts';
import { addLookUsage, type SecondLook } from './second-look.ts';

/** The name of the model that plays a script. Its result is an example, and the pages say so. */
export const SCRIPTED_MODEL = 'scripted';

export interface Step {
  readonly stepNumber: number;
  readonly description: string;
}

/** As commits have it; GitHub folds what is longer. */
export const MAX_CHANGE_TITLE = 72;

/** The reason of a suspect whose line the change under test touches. */
export const TOUCHED_BY_CHANGE = 'this change touches it';

/**
 * A place in the source that the facts point at, best first. `line` is 0 and `function` "" if unknown; score from 0 to
 * 1.
 */
export interface Suspect {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly score: number;
  readonly reasons: readonly string[];
}

/**
 * Below this a first suspect was wrong more often than right (50 of 130 right; above it 408 of 558, over 688 reports
 * of 30 projects).
 */
export const RELIABLE_SCORE = 0.6;

/** Whether a place is likelier right than wrong, so that it may be named as the most likely one. */
export function isReliable(suspect: Suspect | undefined): boolean {
  return suspect !== undefined && suspect.score >= RELIABLE_SCORE;
}

/** Who owns the file that an answer is about. */
export interface Ownership {
  readonly file: string;
  /** Such as `@octo/api`, of the scope or else of CODEOWNERS; empty: none. */
  readonly owners: readonly string[];
  /** The patterns of the scope that has the file; empty: it is in none. */
  readonly scope: readonly string[];
}

/** A thing that a report names of this code, looked up where the report is about. */
export interface ReportClaim {
  /** As the report writes it. */
  readonly text: string;
  readonly kind: 'file' | 'line' | 'function' | 'class' | 'option' | 'setting' | 'version' | 'commit' | 'message';
  /**
   * `absent`: not there, by a complete search; `removed`, `moved`: the same, and when it went or where it is. `unchecked`:
   * the search did not end.
   */
  readonly state: 'exists' | 'absent' | 'removed' | 'moved' | 'unchecked';
  /** Full sha of the commit that was looked at. */
  readonly at: string;
  /** Of what was removed the commit that did, of what was moved its path now; else "". */
  readonly reference: string;
  /** In words what is there instead; "": nothing to add. */
  readonly note: string;
}

/** What a run took of its model. */
export interface RunUsage {
  readonly turns: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Tokens written to the provider's cache; absent: none. */
  readonly cacheWriteTokens?: number;
  readonly completionTokens: number;
  /** 0 as well where nothing says what the model costs. */
  readonly costUsd: number;
  /** Whether the prices of the model are known, or its endpoint stated each cost; absent: a cost of 0 means unknown. */
  readonly isPriced?: true;
  /** Of work. */
  readonly seconds: number;
}

/** What an answer took in all, with its second look. */
interface Usage extends Omit<RunUsage, 'costUsd' | 'isPriced'> {
  /** US dollars; null: not known. */
  readonly costUsd: number | null;
  /** From the request to the answer. */
  readonly seconds: number;
}

/** Fields beyond the interface document. Every key is present, null or empty if it has no value. */
export interface Analysis {
  readonly investigationId: string;
  readonly reference: string;
  readonly origin: Origin;
  readonly report: string;
  /** Full sha that the diff applies to. */
  readonly revision: string;
  readonly outcome: Outcome;
  readonly partial: boolean;
  readonly reason: string;
  readonly verdict: Verdict | null;
  readonly confidence: number | null;
  readonly suspects: readonly Suspect[];
  /** Null: not known, or the file has no owner. */
  readonly ownership: Ownership | null;
  readonly citations: readonly { readonly claim: string; readonly step: number; readonly quote: string }[];
  readonly guards: readonly { readonly rule: string; readonly file: string; readonly reason: string }[];
  readonly questions: readonly string[];
  /** What the report names of this code, what does not hold first, at most 40; empty for a failed check. */
  readonly claims: readonly ReportClaim[];
  readonly sameAs: string | null;
  readonly model: string | null;
  readonly usage: Usage;
  /** Other repositories that were to be read as well. A file of one is named `owner/name:path`. */
  readonly context: readonly ContextRepository[];
  /** Null: none was needed. */
  readonly secondLook: SecondLook | null;
  readonly links: {
    readonly comment: string | null;
    readonly checkRun: string | null;
    readonly pullRequest: string | null;
  };
  /** Of its pull request, in the repository's own CI; null until it has ended, and where there is none. */
  readonly proof: Proof | null;
  /** What became of it; null: it is not about a repository on GitHub. */
  readonly outcomes: OutcomeView | null;
}

export interface Issue {
  readonly id: string;
  readonly projectId: string;
  readonly problem: string;
  readonly rootCause: string;
  readonly stepsToReproduce: readonly Step[];
  readonly solutionSteps: readonly Step[];
  readonly diff: Diff;
  readonly investigationSteps: readonly InvestigationStep[];
  readonly createdAt: string;
  readonly analysis: Analysis;
}

/**
 * What a run found, independent of a caller: an Issue without the caller's own fields (ids, reference, origin, report,
 * `sameAs`), and with a change set instead of the diff. One conclusion serves all joined callers.
 */
export interface Conclusion {
  readonly problem: string;
  readonly rootCause: string;
  readonly stepsToReproduce: readonly Step[];
  readonly solutionSteps: readonly Step[];
  /** The edits, from which the Issue's `diff` is made. Without edits it has no files; `base` is the analysed sha. */
  readonly changeSet: ChangeSet;
  /** What the edits change, as the title of a commit, in the model's words; absent: none was given. */
  readonly changeTitle?: string;
  readonly investigationSteps: readonly SourcedStep[];
  readonly analysis: Omit<
    Analysis,
    | 'investigationId'
    | 'reference'
    | 'origin'
    | 'report'
    | 'sameAs'
    | 'proof'
    | 'outcomes'
    | 'secondLook'
    | 'ownership'
    | 'context'
    | 'claims'
    | 'usage'
  > & {
    /** Of the investigation; a second look has its own. */
    readonly usage: RunUsage;
    readonly secondLook?: SecondLook | null;
    readonly ownership?: Ownership | null;
    readonly context?: readonly ContextRepository[];
    readonly claims?: readonly ReportClaim[];
  };
}

/** The caller's own fields of an Issue. */
interface IssueOwner {
  readonly issueId: string;
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly origin: Origin;
  readonly report: string;
  /** The verdict on its failed check without a model, which precedes that of the run. Null: not about a check. */
  readonly verdict: Verdict | null;
  /** The Issue whose investigation this one joined; null for the first. */
  readonly sameAs: string | null;
  /** Absent: null. */
  readonly proof?: Proof | null;
  /** Absent: null. */
  readonly outcomes?: OutcomeView | null;
  /** When it was requested and when it was concluded, ISO 8601 UTC with milliseconds. */
  readonly requestedAt: string;
  readonly createdAt: string;
}

/** The caller's Issue, keys in the order of the interface. */
export function toIssue(owner: IssueOwner, conclusion: Conclusion): Issue {
  const { analysis } = conclusion;
  const { proof = null, outcomes = null } = owner;
  return {
    id: owner.issueId,
    projectId: owner.projectId,
    problem: conclusion.problem,
    rootCause: conclusion.rootCause,
    stepsToReproduce: conclusion.stepsToReproduce,
    solutionSteps: conclusion.solutionSteps,
    diff: toDiff(conclusion.changeSet),
    investigationSteps: conclusion.investigationSteps.map(({ action, result, analysis: meaning }) => ({
      action,
      result,
      analysis: meaning,
    })),
    createdAt: owner.createdAt,
    analysis: {
      investigationId: owner.investigationId,
      reference: owner.reference,
      origin: owner.origin,
      report: owner.report,
      revision: analysis.revision,
      outcome: analysis.outcome,
      partial: analysis.partial,
      reason: analysis.reason,
      verdict: owner.verdict ?? analysis.verdict,
      confidence: lowerConfidence(analysis.confidence, proof),
      suspects: analysis.suspects,
      ownership: analysis.ownership ?? null,
      citations: analysis.citations,
      guards: analysis.guards,
      questions: analysis.questions,
      claims: analysis.claims ?? [],
      sameAs: owner.sameAs,
      model: analysis.model,
      usage: toUsage(owner, analysis),
      context: analysis.context ?? [],
      secondLook: analysis.secondLook ?? null,
      links: analysis.links,
      proof,
      outcomes,
    },
  };
}

function toUsage({ requestedAt, createdAt }: IssueOwner, { model, usage, secondLook }: Conclusion['analysis']): Usage {
  const { isPriced = false, ...all } = addLookUsage(usage, secondLook?.usage ?? null);
  const isKnown = isPriced || all.costUsd > 0 || model === null || model === SCRIPTED_MODEL;
  const seconds = (Date.parse(createdAt) - Date.parse(requestedAt)) / 1_000;
  // The clock may have been put back meanwhile.
  return { ...all, costUsd: isKnown ? all.costUsd : null, seconds: Math.max(0, seconds) };
}
