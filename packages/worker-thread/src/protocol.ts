// What a thread and its owner say to each other.

/** The thread's first message, once its code is loaded. */
export const READY = 'ready';

/** A request as the thread receives it; its answer carries the same id. */
export type Numbered<T extends object> = T & { readonly id: number };
