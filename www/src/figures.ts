//! The page of all figures: buttons that measure a lab here, and a box for what a learner's own Python reports. Everything
//! else stands in the page as the build wrote it. Not here: the engine, which comes when something is measured.

import { Measuring } from './figures/measuring.ts';
import { installReported } from './figures/reported.ts';
import { prepareIsolation } from './isolation.ts';

installReported();
// Threads need an isolated page. Where the host sends no headers for that, this loads the page once more at its start.
Measuring.install(prepareIsolation(new URL('.', import.meta.url)));
