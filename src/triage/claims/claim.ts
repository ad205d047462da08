// What the lookups of a report's claims share.

import type { HistoryQuery } from 'causeway-git-objects';
import type { ReportClaim } from '../../core/issue/index.ts';

/** A claim while it is looked up. */
export interface FoundClaim extends Omit<ReportClaim, 'at' | 'reference'> {
  /** Of an absent thing: how its past may be looked up. */
  readonly past?: HistoryQuery;
  /** Whether nothing shows that it is of this project unless it was here once. */
  readonly isOnlyOfPast?: boolean;
  /** Where the one file of its name is. */
  readonly now?: string;
}

const RUNTIME =
  /^(?:std|core|alloc|os|sys|System|java|javax|jdk|kotlin|scala|Math|JSON|Object|Array|String|Number|Promise|Date|Error|console|process|window|document|global|globalThis|self|this|super|Kernel|Foundation|UIKit|Elixir|erlang|runtime|reflect|unittest|asyncio|typing|collections|functools|itertools|subprocess|pathlib|logging|numpy|np|pd|pandas|tf|torch|plt|android|androidx|Microsoft|boost)$/i;

/** Names that are of a language or a system everywhere. */
export function isOfRuntime(name: string): boolean {
  return RUNTIME.test(name);
}

/** Files, modules and folders that every other project has. */
export const GENERIC =
  /^(?:index|main|apps?|application|tests?|specs?|unit|fixtures?|factories|config|settings|setup|examples?|demos?|docs?|server|client|program|utils?|helpers?|scripts?|request|response|models?|views?|controllers?|services?|components?|pages|public|assets|user|data|core|base|types?|common|router|context|src|lib|include|packages|internal|pkg|cmd|bin|java|kotlin|com|org|net|io)$/i;
