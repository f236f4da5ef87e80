import { Load } from './load.ts';
import { machineNumber } from './machine.ts';

/*
 * Creates VMs over HTTPS, as a process of its own so that it takes no resources from the server's.
 * Arguments: URL, count, and number of concurrent requests. The token is read from standard input.
 */
const [url = '', count = '0', atOnce = '1'] = process.argv.slice(2);
let token = '';
for await (const chunk of process.stdin.setEncoding('utf8')) token += chunk as string;
const load = new Load({ name: '', url, token, readyMs: 0, pids: [], stop: async () => {} }, Number(atOnce));
const path = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';
await load.run(Number(count), (at) => load.send('POST', path, JSON.stringify(machineNumber(at))));
await load.close();
