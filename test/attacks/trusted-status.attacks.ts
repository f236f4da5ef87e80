import { expect, it } from 'vitest';
import { realClock } from '#platform/base/clock';
import { waitUntil } from '#testing/wait';
import { attackSuite } from './support/attack-suite.ts';
import type { AttackTarget, AttackTargetSource, AttackUser } from './support/attack-target.ts';

const MERGE = 'application/merge-patch+json';
const HYPERSDK = '/apis/hypersdk.io/v1alpha1/namespaces';
const VICTIM = 'victim';
const EVIL = 'evil';
const DISK = { name: 'root', size: '1Gi', storageClass: 'fast-ssd' };
const CONTENTS = 'vimana.io/disk-contents';

interface Found {
  readonly metadata: { readonly uid: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly restore?: { readonly failure?: string; readonly completed?: boolean };
    readonly disks?: readonly { readonly contents?: string }[];
  };
}

const pathOf = (namespace: string, plural: string, name = '') =>
  plural === 'persistentvolumeclaims'
    ? `/api/v1/namespaces/${namespace}/${plural}/${name}`
    : `${HYPERSDK}/${namespace}/${plural}/${name}`;

/**
 * Tests that a user with all permissions in one namespace, who can forge every status in it, gets nothing from another
 * namespace.
 */
export function trustedStatusAttacks(source: AttackTargetSource): void {
  attackSuite('trusted status', source, (target) => {
    const get = async (namespace: string, plural: string, name: string): Promise<Found | undefined> => {
      const { status, body } = await target().admin.send('GET', pathOf(namespace, plural, name));
      return status === 200 ? (body as Found) : undefined;
    };
    const forge = (user: AttackUser, plural: string, name: string, status: object) =>
      user.send('PATCH', `${pathOf(EVIL, plural, name)}/status`, { contentType: MERGE, body: { status } });
    const create = (user: AttackUser, plural: string, kind: string, name: string, content: object) =>
      user.must('POST', pathOf(EVIL, plural).slice(0, -1), {
        body: { apiVersion: apiVersionOf(plural), kind, metadata: { name, namespace: EVIL }, ...content },
      }) as Promise<Found>;
    const ready = memo(() => victimMachine(target()));
    /** All permissions in the user's own namespace, including the verb that allows writing a status. */
    const owner = memo(async () => {
      await ready();
      return await target().user('trent', {
        namespaces: { [EVIL]: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
      });
    });

    it('denies a user who may only patch statuses to write one that controllers act on', async () => {
      await ready();
      const verbs = ['get', 'create', 'update', 'patch'];
      const resources = ['vmoperations', 'vmsnapshots', 'virtualmachines', 'vmtemplates'];
      const rules = [{ apiGroups: ['hypersdk.io'], resources: [...resources, '*/status'], verbs }];
      const mallory = await target().user('mallory', { namespaces: { [EVIL]: rules } });
      const vmRef = { name: 'db' };
      await create(mallory, 'vmoperations', 'VMOperation', 'mine', { spec: { vmRef, operation: 'stop' } });
      await create(mallory, 'vmsnapshots', 'VMSnapshot', 'mine', { spec: { vmRef } });
      for (const plural of ['vmoperations', 'vmsnapshots']) {
        const response = await forge(mallory, plural, 'mine', { phase: 'Failed' });
        expect(response).toMatchObject({
          status: 403,
          body: { message: expect.stringContaining(`verb operate on ${plural}/status`) as string },
        });
      }
    });

    it('lets a scenario do nothing to nodes that its author may not', async () => {
      const trent = await owner();
      const play = (name: string, spec: object) =>
        trent.send('POST', `/apis/simulation.node-classifier.io/v1alpha1/namespaces/${EVIL}/simulationscenarios`, {
          body: {
            apiVersion: 'simulation.node-classifier.io/v1alpha1',
            kind: 'SimulationScenario',
            metadata: { name, namespace: EVIL },
            spec: { duration: '1h', ...spec },
          },
        });
      const nodes = [await firstNode(target())];
      const actions = [{ action: 'removeNodes', nodes }];
      const answers = [
        await play('fail', { timeline: [{ at: '1s', action: 'failNodes', nodes }] }),
        await play('remove', { timeline: [{ at: '1s', action: 'removeNodes', nodes }] }),
        await play('later', {
          conditionalEvents: [{ name: 'c', when: { metric: 'pendingVMs', threshold: 0 }, actions }],
        }),
        await play('bring', { nodes: [{ name: 'bait', count: 1 }] }),
      ];
      expect(answers.map(({ status, body }) => [status, (body as { message?: string }).message])).toEqual(
        ['patch', 'delete', 'delete', 'create'].map((verb) => [
          403,
          expect.stringContaining(`requires permission to ${verb} nodes`) as string,
        ]),
      );
      expect((await play('own', {})).status).toBe(201);
    });

    it('copies no disk of another namespace to a claim for a forged clone', async () => {
      const trent = await owner();
      const source = { claim: 'db-root', namespace: VICTIM };
      const cloneSpec = { targetName: 'copy', targetNamespace: EVIL };
      // The clone of a VM whose template is missing waits for its disks until its timeout.
      await create(trent, 'virtualmachines', 'VirtualMachine', 'own', {
        spec: { running: false, cpus: 1, memory: '1Gi', image: { templateRef: { name: 'none' } }, disks: [DISK] },
      });
      const op = await create(trent, 'vmoperations', 'VMOperation', 'steal', {
        spec: { vmRef: { name: 'own' }, operation: 'clone', cloneSpec },
      });
      await forge(trent, 'vmoperations', 'steal', {
        phase: 'Running',
        result: { targetVM: 'copy', targetNamespace: EVIL },
        checkpoint: { step: 'Cloning', copies: JSON.stringify({ loot: source }) },
      });
      await create(trent, 'persistentvolumeclaims', 'PersistentVolumeClaim', 'loot', {
        metadata: {
          name: 'loot',
          namespace: EVIL,
          annotations: {
            'vimana.io/disk-source': JSON.stringify(source),
            'vimana.io/operation': `${EVIL}/steal`,
            'vimana.io/operation-uid': op.metadata.uid,
          },
        },
        spec: {
          accessModes: ['ReadWriteMany'],
          storageClassName: 'fast-ssd',
          resources: { requests: { storage: '1Gi' } },
        },
      });
      await waitUntil(async () => (await get(EVIL, 'persistentvolumeclaims', 'loot')) !== undefined);
      await waitUntil(() => hasEvent(target(), 'loot', 'Forbidden'));
      expect((await get(EVIL, 'persistentvolumeclaims', 'loot'))?.metadata.annotations?.[CONTENTS]).toBeUndefined();
    });

    it.each(['stop', 'delete'])(
      'does not %s a VM of another namespace for an operation whose status claims that it has started',
      async (operation) => {
        const trent = await owner();
        const before = await get(VICTIM, 'virtualmachines', 'db');
        // No controller acts on it until a status names its VM. The spec contains the name of the victim from the
        // start.
        const name = `begun-${operation}`;
        await create(trent, 'vmoperations', 'VMOperation', name, {
          spec: { vmRef: { name: 'db', namespace: VICTIM }, operation, timeout: '1h' },
        });
        await forge(trent, 'vmoperations', name, {
          phase: 'Running',
          completionTime: null,
          checkpoint: { step: 'Deleting' },
        });
        await waitUntil(async () => (await get(EVIL, 'vmoperations', name))?.status?.phase === 'Failed');
        expect((await get(EVIL, 'vmoperations', name))?.status?.message).toContain('vimana.io/operations-from');
        expect((await get(VICTIM, 'virtualmachines', 'db'))?.metadata.uid).toBe(before?.metadata.uid);
      },
    );

    it('captures no disk of another namespace for a snapshot whose status claims that it is being captured', async () => {
      const trent = await owner();
      const node = await firstNode(target());
      await create(trent, 'vmsnapshots', 'VMSnapshot', 'grab', { spec: { vmRef: { name: 'db', namespace: VICTIM } } });
      await forge(trent, 'vmsnapshots', 'grab', {
        phase: 'Creating',
        vmUID: (await get(VICTIM, 'virtualmachines', 'db'))?.metadata.uid,
        startTime: new Date(realClock.now()).toISOString(),
        nodeName: node,
        disks: [{ name: 'root', claim: 'db-root' }],
      });
      await waitUntil(async () => (await get(EVIL, 'vmsnapshots', 'grab'))?.status?.phase !== 'Creating');
      const found = await get(EVIL, 'vmsnapshots', 'grab');
      expect(found?.status?.phase).toBe('Failed');
      expect(JSON.stringify(found)).not.toContain('secret-image');
    });

    it('restores no disk of another namespace for a snapshot whose status claims a request', async () => {
      const trent = await owner();
      const node = await firstNode(target());
      const before = (await get(VICTIM, 'persistentvolumeclaims', 'db-root'))?.metadata.annotations?.[CONTENTS];
      await create(trent, 'vmsnapshots', 'VMSnapshot', 'poison', {
        spec: { vmRef: { name: 'db', namespace: VICTIM } },
      });
      const contents = JSON.stringify({ files: {}, image: { source: 'evil-image' } });
      await forge(trent, 'vmsnapshots', 'poison', {
        phase: 'Ready',
        creationTime: '2026-01-01T00:00:00Z',
        readyToRestore: true,
        disks: [{ name: 'root', claim: 'db-root', contents }],
        restore: { uid: 'x', nodeName: node },
      });
      await waitUntil(async () => (await get(EVIL, 'vmsnapshots', 'poison'))?.status?.restore?.failure !== undefined);
      expect((await get(VICTIM, 'persistentvolumeclaims', 'db-root'))?.metadata.annotations?.[CONTENTS]).toBe(before);
    });
  });
}

const apiVersionOf = (plural: string) => (plural === 'persistentvolumeclaims' ? 'v1' : 'hypersdk.io/v1alpha1');

/** Runs an action once, for the first caller. */
function memo<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** A VM of another user, with a disk that contains a secret. */
async function victimMachine({ admin }: AttackTarget): Promise<void> {
  for (const name of [VICTIM, EVIL])
    await admin.must('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
  const image = { source: 'https://example.com/secret-image.qcow2' };
  await admin.must('POST', pathOf(VICTIM, 'virtualmachines').slice(0, -1), {
    body: {
      apiVersion: 'hypersdk.io/v1alpha1',
      kind: 'VirtualMachine',
      metadata: { name: 'db', namespace: VICTIM },
      spec: {
        running: false,
        cpus: 1,
        memory: '1Gi',
        image,
        disks: [DISK],
      },
    },
  });
  await waitUntil(async () => {
    const { status, body } = await admin.send('GET', pathOf(VICTIM, 'persistentvolumeclaims', 'db-root'));
    return status === 200 && (body as Found).metadata.annotations?.[CONTENTS] !== undefined;
  });
}

async function hasEvent({ admin }: AttackTarget, name: string, reason: string): Promise<boolean> {
  const { body } = await admin.send('GET', `/api/v1/namespaces/${EVIL}/events`);
  const { items } = body as { items: { reason: string; involvedObject: { name: string } }[] };
  return items.some((each) => each.involvedObject.name === name && each.reason === reason);
}

async function firstNode({ admin }: AttackTarget): Promise<string> {
  const { items } = (await admin.must('GET', '/api/v1/nodes')) as { items: { metadata: { name: string } }[] };
  return items[0]?.metadata.name ?? '';
}
