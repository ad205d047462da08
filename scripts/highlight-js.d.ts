// Instead of the types of highlight.js, for the checks of types alone: its own bring those of browsers into the whole
// program, where the streams of browsers then hide those of Node. `lowlight` names what follows and nothing else of it.
export type LanguageFn = (highlighter: unknown) => unknown;
