// Lines of logs and reports as programs write them: colours, prefixes, code blocks, tracebacks, TAP, frames of a runtime.
export { findCodeBlocks, type MarkedLine, markCode, type Stretch } from './code-blocks.ts';
export { removeAnsi, removePrefix, removePrefixes } from './prefixes.ts';
export { isRuntimeFrame, type RuntimeFrame } from './runtime-frames.ts';
export { findTapStack, readTapError, type TapError, unquote } from './tap.ts';
export { markTracebacks, type TracebackPart } from './traceback.ts';
export { isLogLine, isPassedTest } from './written-by.ts';
