// What the lookups of a report's claims share.

import type { HistoryQuery } from 'causeway-git-objects';
import type { ReportClaim } from '../../core/issue/index.ts';

/** A claim while it is looked up. */
export interface FoundClaim extends Omit<ReportClaim, 'at' | 'reference'> {
  readonly reference?: string;
  /** Of an absent thing: how its past may be looked up. */
  readonly past?: HistoryQuery;
}

const RUNTIME =
  /^(?:std|core|alloc|os|sys|System|java|javax|jdk|kotlin|scala|Math|JSON|Object|Array|String|Number|Promise|Date|Error|console|process|window|document|global|globalThis|self|this|super|Kernel|Foundation|UIKit|Elixir|erlang|runtime|reflect|unittest|asyncio|typing|collections|functools|itertools|subprocess|pathlib|logging|numpy|np|pd|pandas|tf|torch|plt|android|androidx|Microsoft|boost)$/i;

/** Names that are of a language or a system everywhere. */
export function isOfRuntime(name: string): boolean {
  return RUNTIME.test(name);
}

/** Files and modules that every other project has. */
export const GENERIC =
  /^(?:index|main|app|application|tests?|config|settings|setup|example|demo|server|client|program|utils?|request|response|model|models|user|data|core|base|types?|common|router|context)$/i;

/** Whether the text has it as a whole word. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[\w$]/.test(text[at - 1] ?? '') && !/[\w$]/.test(text[at + word.length] ?? '')) return true;
  }
  return false;
}
