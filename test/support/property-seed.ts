// Property tests look at new samples on every machine but CI's: there a change is judged, not the luck of a draw.
import fc from 'fast-check';

if (process.env['CI']) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_120 });
