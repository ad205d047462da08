// The parts of a report as one text, which with what people ask to be heeded has at most 1 MiB.

import { keepBeginning } from '../../core/cut-text.ts';
import { guidanceSection } from '../../core/report.ts';
import type { Trigger } from '../../core/thread.ts';
import { REPORT_BYTES } from '../cut-text.ts';

/** For the words about what was cut. */
const SPARE_BYTES = 1_024;

/** Empty parts are left out. What people ask for is not what is cut. */
export function composeReport(parts: readonly string[], { guidance, by }: Trigger): string {
  const asked = guidanceSection(by.login, guidance);
  const text = parts.filter((part) => part !== '').join('\n\n');
  return keepBeginning(text.toWellFormed(), REPORT_BYTES - SPARE_BYTES - Buffer.byteLength(asked));
}
