/** Deployments, replica sets, replication controllers, stateful sets and daemon sets. */
import { besideWork, readyNode } from '../agent.ts'
import type { Cluster } from '../cluster.ts'
import {
  app,
  type ControllerScenarios,
  claims,
  daemonSets,
  deployment,
  deployments,
  nodes,
  pod,
  pods,
  replicaSets,
  selector,
  statefulSets,
  template,
} from './shapes.ts'

/** Waits until a deployment is complete. */
export async function complete(c: Cluster, name: string, replicas: number): Promise<void> {
  await c.has(deployments, name, ({ metadata, status = {} }) => {
    const {
      observedGeneration,
      replicas: all = 0,
      updatedReplicas = 0,
      availableReplicas = 0,
    } = status
    const seen = observedGeneration === (metadata as { generation?: number }).generation
    return (
      seen && updatedReplicas === replicas && availableReplicas === replicas && all === replicas
    )
  })
}

const image = (name: string) => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } },
})

function statefulSet(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: { serviceName: name, replicas: 2, selector, template: template(), ...spec },
  }
}

const claimTemplates = [
  {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
    },
  },
]

export const workloads: ControllerScenarios = {
  's-deploy-roll': async (c) => {
    await c.create(deployments, deployment('web'))
    await complete(c, 'web', 3)
    await c.patch(deployments, 'web', image('second'))
    await complete(c, 'web', 3)
    await c.patch(deployments, 'web', image('work'))
    await complete(c, 'web', 3)
  },
  's-deploy-scale': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 2 }))
    await complete(c, 'web', 2)
    await c.patch(deployments, 'web/scale', { spec: { replicas: 5 } })
    await complete(c, 'web', 5)
    await c.patch(deployments, 'web/scale', { spec: { replicas: 0 } })
    await complete(c, 'web', 0)
  },
  's-deploy-recreate': async (c) => {
    await c.create(deployments, deployment('web', { strategy: { type: 'Recreate' } }))
    await complete(c, 'web', 3)
    await c.patch(deployments, 'web', image('second'))
    await complete(c, 'web', 3)
  },
  's-deploy-paused': async (c) => {
    await c.create(deployments, deployment('web', { paused: true, replicas: 2 }))
    await c.has(deployments, 'web', ({ status }) => status.observedGeneration === 1)
    await c.patch(deployments, 'web', { spec: { paused: false } })
    await complete(c, 'web', 2)
    await c.patch(deployments, 'web', { spec: { paused: true, replicas: 4 } })
    await c.count(pods, 4)
    await c.patch(deployments, 'web', image('second'))
    await c.patch(deployments, 'web', { spec: { paused: false } })
    await complete(c, 'web', 4)
  },
  's-deploy-deadline': async (c) => {
    await c.create(
      deployments,
      deployment('web', { progressDeadlineSeconds: 3, template: template('running') }),
    )
    await c.has(deployments, 'web', ({ status }) =>
      status.conditions.some(
        ({ reason }: { reason: string }) => reason === 'ProgressDeadlineExceeded',
      ),
    )
  },
  's-deploy-stuck': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 4 }))
    await complete(c, 'web', 4)
    await c.patch(deployments, 'web', {
      spec: { template: { metadata: { annotations: { agent: 'running' } } } },
    })
    await c.has(deployments, 'web', ({ status }) => status.unavailableReplicas > 0)
    await c.patch(deployments, 'web', { spec: { replicas: 8 } })
    await c.has(deployments, 'web', ({ status }) => status.replicas === 10)
  },
  's-deploy-history': async (c) => {
    await c.create(deployments, deployment('web', { replicas: 1, revisionHistoryLimit: 1 }))
    await complete(c, 'web', 1)
    for (const name of ['b', 'c', 'd']) {
      await c.patch(deployments, 'web', image(name))
      await complete(c, 'web', 1)
    }
  },
  's-deploy-back': async (c) => {
    const rollback = 'deprecated.deployment.rollback.to'
    const back = async (revision: string): Promise<void> => {
      await c.patch(deployments, 'web', { metadata: { annotations: { [rollback]: revision } } })
      await c.has(deployments, 'web', ({ metadata }) => !metadata.annotations?.[rollback])
    }
    await c.create(deployments, deployment('web', { replicas: 1 }))
    await complete(c, 'web', 1)
    await back('0')
    for (const name of ['b', 'c']) {
      await c.patch(deployments, 'web', {
        metadata: { annotations: { cause: name } },
        ...image(name),
      })
      await complete(c, 'web', 1)
    }
    for (const revision of ['2', '9', '4']) {
      await back(revision)
      await complete(c, 'web', 1)
    }
  },
  's-deploy-every': async (c) => {
    await c
      .create(deployments, { ...deployment('one', { selector: { matchExpressions: [] } }) })
      .catch(() => {})
    await c.create(deployments, deployment('a', { replicas: 1 }))
    await complete(c, 'a', 1)
    await c.create(deployments, deployment('b', { replicas: 1 }))
    await complete(c, 'b', 1)
  },
  's-deploy-quota': async (c) => {
    await c.create('v1/resourcequotas', {
      metadata: { name: 'few' },
      spec: { hard: { pods: '2' } },
    })
    await c.has('v1/resourcequotas', 'few', ({ status }) => status?.hard?.pods === '2')
    await c.create(deployments, deployment('web', { replicas: 3 }))
    await c.has(deployments, 'web', ({ status }) =>
      status.conditions?.some(({ type }: { type: string }) => type === 'ReplicaFailure'),
    )
  },
  's-set-adopt': async (c) => {
    await c.create(pods, pod('free', 'ready', {}, { labels: app }))
    await c.has(pods, 'free', ({ status }) => status.phase === 'Running')
    await c.create(replicaSets, {
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template: template() },
    })
    await c.has(replicaSets, 'web', ({ status }) => status.availableReplicas === 2)
    await c.patch(pods, 'free', { metadata: { labels: { app: 'other' } } })
    await c.has(replicaSets, 'web', ({ status }) => status.availableReplicas === 2)
    await c.count(pods, 3)
    await c.delete(replicaSets, 'web', { propagationPolicy: 'Orphan' })
    await c.gone(replicaSets, 'web')
  },
  's-set-overlap': async (c) => {
    const spec = { replicas: 2, selector, template: template() }
    await c.create(replicaSets, { metadata: { name: 'a' }, spec })
    await c.create(replicaSets, { metadata: { name: 'b' }, spec })
    await c.has(replicaSets, 'a', ({ status }) => status.availableReplicas === 2)
    await c.has(replicaSets, 'b', ({ status }) => status.availableReplicas === 2)
  },
  's-replication': async (c) => {
    const resource = 'v1/replicationcontrollers'
    await c.create(resource, {
      metadata: { name: 'web' },
      spec: { replicas: 3, selector: app, template: template() },
    })
    await c.has(resource, 'web', ({ status }) => status.availableReplicas === 3)
    await c.patch(resource, 'web', { spec: { replicas: 1, minReadySeconds: 2 } })
    await c.has(
      resource,
      'web',
      ({ status }) => status.replicas === 1 && status.availableReplicas === 1,
    )
  },
  's-stateful-roll': async (c) => {
    await c.create(statefulSets, statefulSet('db'))
    await c.has(statefulSets, 'db', ({ status }) => status.readyReplicas === 2)
    await c.patch(statefulSets, 'db', image('second'))
    await c.has(
      statefulSets,
      'db',
      ({ status }) =>
        status.observedGeneration === 2 &&
        status.updatedReplicas === 2 &&
        status.currentReplicas === 2 &&
        status.readyReplicas === 2 &&
        status.currentRevision === status.updateRevision,
    )
    await c.patch(statefulSets, 'db', { spec: { replicas: 1 } })
    await c.has(statefulSets, 'db', ({ status }) => status.replicas === 1)
  },
  's-stateful-parallel': async (c) => {
    await c.create(
      statefulSets,
      statefulSet('db', {
        podManagementPolicy: 'Parallel',
        replicas: 3,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
      }),
    )
    await c.has(statefulSets, 'db', ({ status }) => status.readyReplicas === 3)
    await c.patch(statefulSets, 'db', image('second'))
    await c.has(
      statefulSets,
      'db',
      ({ status }) => status.updatedReplicas === 1 && status.readyReplicas === 3,
    )
  },
  's-stateful-claims': async (c) => {
    await c.create(
      statefulSets,
      statefulSet('db', {
        volumeClaimTemplates: claimTemplates,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
      }),
    )
    await c.has(statefulSets, 'db', ({ status }) => status.readyReplicas === 2)
    await c.patch(statefulSets, 'db', { spec: { replicas: 1 } })
    await c.gone(claims, 'data-db-1')
  },
  's-stateful-failed': async (c) => {
    await c.create(statefulSets, statefulSet('db', { replicas: 1, template: template('running') }))
    await c.count(pods, 1)
    await c.patch(pods, 'db-0', { metadata: { annotations: { agent: 'fails' } } })
    await c.count('v1/events', 1, ({ reason }) => reason === 'SuccessfulDelete')
    await c.count(pods, 1, ({ status }) => status.phase === 'Running')
  },
  's-stateful-delete': async (c) => {
    await c.create(statefulSets, statefulSet('db', { updateStrategy: { type: 'OnDelete' } }))
    await c.has(statefulSets, 'db', ({ status }) => status.readyReplicas === 2)
    await c.patch(statefulSets, 'db', image('second'))
    await c.delete(pods, 'db-1')
    await c.has(
      statefulSets,
      'db',
      ({ status }) => status.updatedReplicas === 1 && status.readyReplicas === 2,
    )
    await c.delete(statefulSets, 'db', { propagationPolicy: 'Foreground' })
    await c.gone(statefulSets, 'db')
  },
  's-daemon': async (c) => {
    const labels = { only: 's-daemon' }
    for (const name of ['s-daemon-a', 's-daemon-b']) await node(c, name, labels)
    await c.create(daemonSets, {
      metadata: { name: 'agent' },
      spec: { selector, template: template('ready', { nodeSelector: labels }) },
    })
    await c.has(daemonSets, 'agent', ({ status }) => status.numberReady === 2)
    await c.patch(daemonSets, 'agent', image('second'))
    await c.has(
      daemonSets,
      'agent',
      ({ status }) => status.updatedNumberScheduled === 2 && status.numberAvailable === 2,
    )
    await c.patch(nodes, 's-daemon-b', { metadata: { labels: { only: null } } })
    await c.count(pods, 1)
  },
  's-daemon-surge': async (c) => {
    const labels = { only: 's-daemon-surge' }
    for (const name of ['s-daemon-surge-a', 's-daemon-surge-b']) await node(c, name, labels)
    await c.create(daemonSets, {
      metadata: { name: 'agent' },
      spec: {
        ...{ selector, template: template('ready', { nodeSelector: labels }) },
        updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      },
    })
    await c.has(daemonSets, 'agent', ({ status }) => status.numberReady === 2)
    await c.patch(daemonSets, 'agent', image('second'))
    await c.has(
      daemonSets,
      'agent',
      ({ status }) => status.updatedNumberScheduled === 2 && status.numberAvailable === 2,
    )
    await c.count(pods, 2)
  },
  's-daemon-failed': async (c) => {
    const labels = { only: 's-daemon-failed' }
    await node(c, 's-daemon-failed-a', labels)
    await c.create(daemonSets, {
      metadata: { name: 'agent' },
      spec: { selector, template: template('running', { nodeSelector: labels }) },
    })
    await c.count(pods, 1)
    const [first] = await c.list(pods)
    await c.patch(pods, first?.metadata.name ?? '', {
      metadata: { annotations: { agent: 'fails' } },
    })
    await c.count('v1/events', 1, ({ reason }) => reason === 'FailedDaemonPod')
    await c.count(pods, 1, ({ status }) => status.phase === 'Running')
  },
}

/** A node that is ready and stays so. */
export async function node(
  c: Cluster,
  name: string,
  labels: object,
  spec: object = {},
): Promise<void> {
  await c.create(nodes, {
    metadata: {
      name,
      labels: 'topology.kubernetes.io/zone' in labels ? labels : { [besideWork]: '', ...labels },
    },
    spec,
  })
  await c.status(nodes, name, readyNode())
}
