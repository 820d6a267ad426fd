import { options as daemon } from '../../../generated/options/orch-apiserver.ts'
import { options as manager } from '../../../generated/options/orch-controller-manager.ts'
import type { OptionTable } from '../../../runtime/kernel/options/option-table.ts'

const serverFlags = ['feature-gates', 'runtime-config', 'service-cluster-ip-range']

/** The flags of `orch up`; those of the API are the API server's own. */
export const upOptions: OptionTable = {
  daemon: 'orch up',
  description:
    'Starts a control plane on this machine and writes an orchconfig file for its clients, kubectl among them. It runs ' +
    'until it is interrupted.',
  sections: [
    {
      name: 'Serving',
      options: [
        {
          flag: 'port',
          type: 'int',
          minimum: 0,
          maximum: 65535,
          description: 'Port on 127.0.0.1, for TLS. Without it, or with 0, a free one is picked.',
        },
        {
          flag: 'insecure-port',
          type: 'int',
          minimum: 0,
          maximum: 65535,
          description:
            'A further port on 127.0.0.1, without TLS: every program of this machine may do everything there. 0 picks a free one. Without the flag, there is none.',
        },
        {
          flag: 'orchconfig',
          type: 'string',
          description:
            'Where to write the orchconfig `FILE`, with the certificate of an administrator. Without it: orchconfig in the data directory, or in .orch.',
        },
      ],
    },
    {
      name: 'Storage',
      options: [
        {
          flag: 'data-dir',
          type: 'string',
          description:
            '`DIR` to keep objects in, and certificates; made if it is not there. Without it, they are kept in memory.',
        },
        {
          flag: 'storage',
          type: 'string',
          description:
            'Where to keep objects instead, as for orch-apiserver: sqlite:`FILE` or postgres://USER@HOST/DATABASE, which several servers may share. Certificates are kept in --data-dir then.',
        },
      ],
    },
    {
      name: 'Processes',
      options: [
        ...daemon.sections
          .flatMap(({ options }) => options)
          .filter(({ flag }) => flag === 'processes'),
        {
          flag: 'replicas',
          type: 'int',
          default: 1,
          minimum: 1,
          maximum: 16,
          description:
            'How many API servers to run on one PostgreSQL database, each with a port of its own: those behind --port. For trying several; the first one runs the controllers.',
        },
      ],
    },
    {
      name: 'Schema',
      options: [
        {
          flag: 'platform',
          type: 'string',
          description:
            'Platform `FILE` with the names to serve under, such as schemas/platform/kubernetes.yaml.',
        },
        {
          flag: 'schemas',
          type: 'stringArray',
          description:
            '`DIR` with schema files of further kinds to serve. May be given more than once.',
        },
      ],
    },
    {
      name: 'API',
      options: daemon.sections
        .flatMap(({ options }) => options)
        .filter(({ flag }) => serverFlags.includes(flag)),
    },
    {
      name: 'Controllers',
      options: manager.sections
        .flatMap(({ options }) => options)
        .filter(({ flag }) => flag === 'controllers' || flag === 'cloud-provider')
        .map(({ field: _, ...option }) => option),
    },
    {
      name: 'Nodes',
      options: [
        {
          flag: 'cluster-cidr',
          type: 'string',
          description:
            'Ranges of addresses of which each node gets a part for its pods, one or one of each family: 10.244.0.0/16,fd00:10::/48. Without it, nodes get none.',
        },
        {
          flag: 'node',
          type: 'bool',
          description:
            'Makes this machine a node: pods whose images are programs of the machine, such as host/sh, run here until orch up ends. Says how far containers are kept apart.',
        },
        {
          flag: 'container-runtime-endpoint',
          type: 'string',
          description:
            'What the node runs containers by: unix://`PATH`, embedded, embedded://process, embedded://namespace or embedded://full. Without it: containerd if it answers at its usual place, else the embedded runtime.',
        },
        {
          flag: 'simulated-nodes',
          type: 'int',
          minimum: 0,
          maximum: 5000,
          description:
            'How many nodes to simulate: they register, and pods that are bound to them start, run and end without anything that runs. Annotations of pods say how: simulation.DOMAIN/duration, exit-code, init-exit-code, ready.',
        },
      ],
    },
    {
      name: 'Scheduler',
      options: [
        {
          flag: 'scheduler',
          type: 'bool',
          default: true,
          description:
            'Finds nodes for pods, in this process. --scheduler=false leaves that to another program, or to nobody.',
        },
      ],
    },
    ...daemon.sections.filter(({ name }) => name === 'Audit'),
    {
      name: 'Global',
      options: [
        { flag: 'help', shorthand: 'h', type: 'bool', description: 'Prints this help and exits.' },
      ],
    },
  ],
}
