// The thread that finds the syntax colours.
import { serveRequests } from 'causeway-worker-thread';
import { type HighlightAnswer, type HighlightRequest, highlightTexts } from './syntax.ts';

serveRequests<HighlightRequest, HighlightAnswer>(highlightTexts);
