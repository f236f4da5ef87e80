import { uptime } from 'node:os';
import { type Clock, realClock } from './clock.ts';

/** Clock of the host, which also knows how long the host slept. */
export const hostClock: Clock = { ...realClock, uptime: () => uptime() * 1000 };
