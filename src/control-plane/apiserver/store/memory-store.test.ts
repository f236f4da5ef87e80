import { openMemoryStore } from './memory-store.ts';
import { describeStore } from './store.contract.ts';

describeStore({
  name: 'memory',
  open: async (options) => openMemoryStore({ clock: { monotonic: () => 0 }, ...options }),
});
