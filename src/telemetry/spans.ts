// Spans of OpenTelemetry: nothing happens without an SDK, which the operator loads with --import (deploy/opentelemetry.mjs).
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
import { CausewayError } from '../core/errors.ts';
import { noteOnTrail } from '../log.ts';

export interface SpanWanted {
  readonly name: string;
  readonly kind?: SpanKind;
  /** Ids, kinds and figures; never what somebody wrote. */
  readonly attributes?: Attributes;
  readonly links?: readonly Link[];
}

/**
 * Runs the work in a span, which is the parent of those that it begins. A failure leaves its code on the span and no words: those may
 * quote a report.
 */
export function spanned<T>(wanted: SpanWanted, work: (span: Span) => Promise<T>): Promise<T> {
  const { name, kind = SpanKind.INTERNAL, attributes = {}, links = [] } = wanted;
  // Asked for each time: the SDK may come after us.
  const tracer = trace.getTracer('causeway');
  return tracer.startActiveSpan(name, { kind, attributes, links: [...links] }, async (span) => {
    try {
      const { traceId } = span.spanContext();
      if (span.isRecording()) noteOnTrail({ traceId });
      return await work(span);
    } catch (error) {
      span.setAttribute('error.type', errorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Asked for one by one: to read all of them costs more than to find two. */
const OF_HEADERS: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
};

/** A stranger's trace is linked to and not gone on with: else whoever can send a header decides what is recorded here, and under which id. */
export function linkTo(headers: Headers): readonly Link[] {
  const theirs = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, headers, OF_HEADERS));
  return theirs === undefined ? [] : [{ context: theirs }];
}

/** Of the span that the caller runs in; it may be renamed or told more. */
export function activeSpan(): Span | undefined {
  return trace.getSpan(context.active());
}

function errorType(error: unknown): string {
  if (error instanceof CausewayError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
