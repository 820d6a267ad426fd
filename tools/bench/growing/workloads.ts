import { apps, core, creating, deployment, type Growing, podSpec, times } from './items.ts'

/** Creations of workloads of many parts. */
export const workloads: readonly Growing[] = [
  creating('containers', 6_500, `${apps}/deployments`, (n, name) =>
    deployment(name, { containers: times(n, (at) => ({ name: `c${at}`, image: 'i' })) }),
  ),
  creating(
    'one container again and again',
    12_000,
    `${apps}/deployments`,
    (n, name) => deployment(name, { containers: times(n, () => ({ name: 'c', image: 'i' })) }),
    422,
  ),
  creating('variables', 20_000, `${apps}/deployments`, (n, name) =>
    deployment(name, podSpec({}, { env: times(n, (at) => ({ name: `e${at}`, value: '' })) })),
  ),
  creating('ports', 16_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec({}, { ports: times(n, (at) => ({ name: `p${at}`, containerPort: at + 1 })) }),
    ),
  ),
  creating('volumes and mounts', 6_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec(
        { volumes: times(n, (at) => ({ name: `v${at}`, emptyDir: {} })) },
        { volumeMounts: times(n, (at) => ({ name: `v${at}`, mountPath: `/v${at}` })) },
      ),
    ),
  ),
  creating('tolerations', 15_000, `${core}/pods`, (n, name) => ({
    metadata: { name },
    spec: podSpec({ tolerations: times(n, (at) => ({ key: `k${at}`, operator: 'Exists' })) }),
  })),
  creating('spread constraints', 10_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec({
        topologySpreadConstraints: times(n, (at) => ({
          maxSkew: 1,
          topologyKey: `k${at}`,
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
    ),
  ),
  creating('terms of affinity', 8_000, `${apps}/deployments`, (n, name) =>
    deployment(
      name,
      podSpec({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: times(n, (at) => ({
              topologyKey: `k${at}`,
              labelSelector: { matchLabels: { a: 'b' } },
            })),
          },
        },
      }),
    ),
  ),
]
