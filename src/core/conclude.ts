// From one conclusion to each caller's own Issue.
import type { Verdict } from './check.ts';
import { toDiff } from './diff.ts';
import type { Conclusion, Issue } from './issue.ts';
import type { Origin } from './report.ts';

/** What is a caller's own in an Issue. */
export interface IssueOwner {
  readonly issueId: string;
  readonly investigationId: string;
  readonly projectId: string;
  readonly reference: string;
  readonly origin: Origin;
  readonly report: string;
  /** What is known of its failed check without a model: stands above what the run says. Null: it is of none. */
  readonly verdict: Verdict | null;
  /** The Issue whose investigation this one joined; null for the first. */
  readonly sameAs: string | null;
  /** Moment of conclusion, ISO 8601 UTC with milliseconds. */
  readonly createdAt: string;
}

/** The caller's Issue, its keys in the interface's order. */
export function issueFor(owner: IssueOwner, conclusion: Conclusion): Issue {
  const { analysis } = conclusion;
  return {
    id: owner.issueId,
    projectId: owner.projectId,
    problem: conclusion.problem,
    rootCause: conclusion.rootCause,
    stepsToReproduce: conclusion.stepsToReproduce,
    solutionSteps: conclusion.solutionSteps,
    diff: toDiff(conclusion.changeSet),
    investigationSteps: conclusion.investigationSteps,
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
      confidence: analysis.confidence,
      suspects: analysis.suspects,
      citations: analysis.citations,
      guards: analysis.guards,
      questions: analysis.questions,
      sameAs: owner.sameAs,
      model: analysis.model,
      usage: analysis.usage,
      links: analysis.links,
    },
  };
}
