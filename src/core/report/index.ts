// Reports, the investigations that they start, and the steps of one.

export type {
  InvestigationStep,
  LookupFinding,
  SourcedStep,
  StepLookup,
  StepSource,
  Tool,
  ToolResult,
  Workbench,
} from './evidence.ts';
export {
  formatLogResult,
  formatLogSections,
  formatSection,
  type LogPart,
  readLogResult,
  readLogSections,
} from './log-part.ts';
export {
  type AddressedReport,
  countImages,
  type ExampleReport,
  formatGuidance,
  INVESTIGATION_STATES,
  type Investigation,
  type InvestigationOutcome,
  type InvestigationState,
  isEnded,
  MAX_GUIDANCE,
  MAX_REPORT_BYTES,
  type Origin,
  type ReadReportAddress,
  type Report,
} from './report.ts';
