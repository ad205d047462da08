// The door to what the agent may do: one tool, one lookup or edit, told as one step.
import type { ChangeSet } from './change-set.ts';
import type { Finding, StepLookup, StepSource } from './evidence.ts';
import type { ToolDescription } from './model.ts';

export interface Tool extends ToolDescription {
  /** Where its results come from. Absent: the repository. */
  readonly source?: StepSource;
  /** Of its steps; absent: no other code asks. */
  readonly lookup?: StepLookup;
  /**
   * Runs the tool with the arguments as the model wrote them. Never throws for what the model can put right (malformed or wrong
   * arguments, nothing there): that is a finding. Throws only aborts and faults of our own.
   */
  run(rawArguments: string, signal: AbortSignal): Promise<ToolResult>;
}

export interface ToolResult {
  /** The exact query in words, as the investigation step shows it: `search "x" in src/ at 1a2b3c4`. */
  readonly action: string;
  readonly finding: Finding;
}

/** What an investigation may do on one commit: lookups, and edits that are kept aside of it. */
export interface Workbench {
  readonly tools: readonly Tool[];
  /** What the edits come to; its base is the commit. */
  changeSet(): ChangeSet;
}
