import fc from 'fast-check';

/**
 * Property tests draw the same values in every run, so that a failure is caused by the current change and can be
 * repeated. VIMANA_PROPERTY_SEED=1 (any whole number) draws others.
 */
fc.configureGlobal({ seed: Number(process.env['VIMANA_PROPERTY_SEED'] ?? 20_260_101) });
