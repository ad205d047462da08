// Spans of OpenTelemetry: nothing happens without an SDK, which the operator loads with --import
// (deploy/opentelemetry.mjs).

import {
  type Attributes,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { ModelFailure } from 'causeway-models';
import { CausewayError } from './core/errors.ts';
import type { Tool } from './core/report/index.ts';
import type { Source } from './core/source/index.ts';
import { addLogContext } from './log.ts';

export interface SpanOptions {
  readonly name: string;
  readonly kind?: SpanKind;
  /** Ids, kinds and figures; never what a person or a model wrote. */
  readonly attributes?: Attributes;
  readonly links?: readonly Link[];
}

/**
 * Runs the work in a span, which is the parent of those that it begins. A failure leaves its code on the span and not
 * its message: that may quote a report.
 */
export function runInSpan<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { name, kind = SpanKind.INTERNAL, attributes = {}, links = [] } = options;
  // Looked up each time: the SDK may be loaded after this module.
  const tracer = trace.getTracer('causeway');
  return tracer.startActiveSpan(name, { kind, attributes, links: [...links] }, async (span) => {
    try {
      if (span.isRecording()) addLogContext({ traceId: span.spanContext().traceId });
      return await work(span);
    } catch (error) {
      span.setAttribute('error.type', describeErrorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

function describeErrorType(error: unknown): string {
  if (error instanceof CausewayError || error instanceof ModelFailure) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}

const READ_HEADERS: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/** A caller's trace is linked and not continued, or any caller could decide what is recorded here. */
export function linkToCaller(headers: Headers): readonly Link[] {
  const theirs = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers, READ_HEADERS));
  return theirs === undefined ? [] : [{ context: theirs }];
}

/** The span that the caller runs in. */
export function getActiveSpan(): Span | undefined {
  return trace.getSpan(context.active());
}

/** Opening a project fetches it. */
export function traceSource(source: Source): Source {
  return {
    open: (project, signal) => {
      const attributes = { 'causeway.project.id': project.id };
      return runInSpan({ name: 'git fetch', kind: SpanKind.CLIENT, attributes }, () => source.open(project, signal));
    },
    forget: (projectId, signal) => source.forget(projectId, signal),
  };
}

/** Records only its name: arguments and results are untrusted text. */
export function traceTool(tool: Tool): Tool {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.name };
  return {
    ...tool,
    run: (rawArguments, signal) =>
      runInSpan({ name: `execute_tool ${tool.name}`, attributes }, () => tool.run(rawArguments, signal)),
  };
}
