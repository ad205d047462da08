// What an investigation needs.
import type { CheckReader } from './checks/check-texts.ts';
import type { ContextAccess } from './context.ts';
import type { Investigator } from './investigator.ts';
import type { CoreServices } from './services.ts';

export interface InvestigationServices extends CoreServices {
  readonly readReport: CheckReader['readReport'];
  /** Milliseconds that one run may investigate. */
  readonly timeoutMs: number;
  /** Null: no model is configured, and runs end with their facts. */
  readonly investigator: Investigator | null;
  /** Null: only the project's own repository is read. */
  readonly context: ContextAccess | null;
  /**
   * Receives what only the operator should know about a run that was cut short or gave up; it is in the log in any
   * case.
   */
  readonly onTrouble?: ((text: string) => void) | undefined;
}
