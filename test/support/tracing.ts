// OpenTelemetry as an operator's SDK would be, against the API alone: spans are kept in memory, and contexts follow promises.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';

export interface KeptSpan {
  name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly id: string;
  /** Name of the span around it; null: none. */
  readonly parent: string | null;
  readonly attributes: Attributes;
  readonly links: readonly Link[];
  status: SpanStatus;
  isEnded: boolean;
  /** What else somebody put on it, such as an exception with its words. */
  readonly others: unknown[];
}

export interface Tracing extends Disposable {
  readonly spans: readonly KeptSpan[];
}

/** Registered for the whole process until disposed. */
export function startTracing(): Tracing {
  const spans: KeptSpan[] = [];
  trace.setGlobalTracerProvider({ getTracer: () => tracerOf(spans) });
  context.setGlobalContextManager(contexts());
  propagation.setGlobalPropagator(traceParents);
  return {
    spans,
    [Symbol.dispose]: () => {
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}

function tracerOf(spans: KeptSpan[]) {
  const startSpan = (name: string, options: SpanOptions = {}, around: Context = context.active()): Span => {
    const parent = trace.getSpan(around);
    const ids: SpanContext = {
      traceId: parent?.spanContext().traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      traceFlags: 1,
    };
    const kept: KeptSpan = {
      ...{ name, kind: options.kind ?? SpanKind.INTERNAL, traceId: ids.traceId, id: ids.spanId },
      parent: spans.find(({ id }) => id === parent?.spanContext().spanId)?.name ?? null,
      attributes: { ...options.attributes },
      links: options.links ?? [],
      ...{ status: { code: SpanStatusCode.UNSET }, isEnded: false, others: [] },
    };
    spans.push(kept);
    return spanOver(kept, ids);
  };
  const startActiveSpan = (name: string, ...rest: readonly unknown[]) => {
    const work = rest.at(-1) as (span: Span) => unknown;
    const span = startSpan(name, rest.length > 1 ? (rest[0] as SpanOptions) : {});
    return context.with(trace.setSpan(context.active(), span), () => work(span));
  };
  return { startSpan, startActiveSpan } as ReturnType<typeof trace.getTracer>;
}

function spanOver(kept: KeptSpan, ids: SpanContext): Span {
  const span: Span = {
    spanContext: () => ids,
    isRecording: () => !kept.isEnded,
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes: (more) => {
      Object.assign(kept.attributes, more);
      return span;
    },
    setStatus: (status) => {
      kept.status = status;
      return span;
    },
    updateName: (name) => {
      kept.name = name;
      return span;
    },
    addEvent: (...event) => {
      kept.others.push(event);
      return span;
    },
    addLink: () => span,
    addLinks: () => span,
    recordException: (exception) => void kept.others.push(exception),
    end: () => {
      kept.isEnded = true;
    },
  };
  return span;
}

function contexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (next, work, self, ...args) =>
      storage.run(next, () => work.apply(self as ThisParameterType<typeof work>, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

const traceParents: TextMapPropagator = {
  inject: () => {},
  fields: () => ['traceparent'],
  extract: (around, carrier, getter) => {
    const [, traceId, spanId] =
      /^00-(\w{32})-(\w{16})-01$/.exec(String(getter.get(carrier, 'traceparent') ?? '')) ?? [];
    if (traceId === undefined || spanId === undefined) return around;
    return trace.setSpanContext(around, { traceId, spanId, traceFlags: 1, isRemote: true });
  },
};
