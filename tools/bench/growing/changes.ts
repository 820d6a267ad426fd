import {
  applying,
  deployment,
  entries,
  type Growing,
  map,
  merging,
  operations,
  owner,
  patch,
  podSpec,
  record,
  strategic,
  times,
  withDeployment,
  withMap,
} from './items.ts'

const one = { data: { a: 'b' } }
const label = { metadata: { labels: { x: 'y' } } }

/** Changes of objects. */
export const changes: readonly Growing[] = [
  withMap(
    'update: owners',
    16_000,
    (n, name) => map(name, one, { ownerReferences: times(n, owner) }),
    (n, path, name) => ({
      method: 'PUT',
      path,
      body: map(name, one, { ownerReferences: times(n, (at) => owner(at + 1)) }),
    }),
  ),
  withMap(
    'update: data',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path, name) => ({
      method: 'PUT',
      path,
      body: map(name, { data: entries(n, () => 'x') }),
    }),
  ),
  withMap(
    'update: managed fields',
    9_000,
    (n, name) => map(name, one, { managedFields: times(n, (at) => record(at)) }),
    (n, path, name) => ({
      method: 'PUT',
      path,
      body: map(name, one, { managedFields: times(n, (at) => record(at)), labels: { x: 'y' } }),
    }),
  ),
  withMap(
    'a small patch among owners',
    16_000,
    (n, name) => map(name, one, { ownerReferences: times(n, owner) }),
    (_, path) => patch(path, merging, label),
  ),
  withMap(
    'a small patch among managers',
    9_000,
    (n, name) => map(name, one, { managedFields: times(n, (at) => record(at)) }),
    (_, path) => patch(path, merging, label),
  ),
  withMap(
    'a small apply among managers',
    9_000,
    (n, name) => map(name, one, { managedFields: times(n, (at) => record(at)) }),
    (_, path, name) => patch(`${path}?fieldManager=z`, applying, map(name, { data: { z: 'y' } })),
  ),
  withMap(
    'merge patch: data',
    9_500,
    (_, name) => map(name, one),
    (n, path) => patch(path, merging, { data: entries(n) }),
  ),
  withMap(
    'merge patch: nulls',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path) => patch(path, merging, { data: entries(n, () => null) }),
  ),
  withMap(
    'JSON patch: additions',
    9_500,
    (_, name) => map(name, one),
    (n, path) =>
      patch(
        path,
        operations,
        times(n, (at) => ({ op: 'add', path: `/data/k${at}`, value: '' })),
      ),
  ),
  withMap(
    'JSON patch: insertions at the front',
    9_500,
    (n, name) => map(name, one, { finalizers: times(n, (at) => `a.b/f${at}`) }),
    (n, path) =>
      patch(
        path,
        operations,
        times(n, (at) => ({ op: 'add', path: '/metadata/finalizers/0', value: `a.b/g${at}` })),
      ),
  ),
  withMap(
    'JSON patch: tests',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path) =>
      patch(
        path,
        operations,
        times(n, (at) => ({ op: 'test', path: `/data/k${at}`, value: '' })),
      ),
  ),
  withMap(
    'strategic patch: owners',
    16_000,
    (n, name) => map(name, one, { ownerReferences: times(n, owner) }),
    (n, path) =>
      patch(path, strategic, { metadata: { ownerReferences: times(n, (at) => owner(at + 1)) } }),
  ),
  withDeployment(
    'strategic patch: containers',
    9_000,
    (n, name) =>
      deployment(name, { containers: times(n, (at) => ({ name: `c${at}`, image: 'i' })) }),
    (n, path) =>
      patch(path, strategic, {
        spec: {
          template: {
            spec: { containers: times(n, (at) => ({ name: `c${n - at}`, image: 'j' })) },
          },
        },
      }),
  ),
  withMap(
    'apply: data',
    9_500,
    (_, name) => map(name, one),
    (n, path, name) => patch(`${path}?fieldManager=a`, applying, map(name, { data: entries(n) })),
  ),
  withMap(
    'apply: conflicts',
    9_500,
    (n, name) => map(name, { data: entries(n) }),
    (n, path, name) =>
      patch(`${path}?fieldManager=a`, applying, map(name, { data: entries(n, () => 'x') })),
    409,
  ),
  withMap(
    'apply: owners',
    16_000,
    (_, name) => map(name, one),
    (n, path, name) =>
      patch(
        `${path}?fieldManager=a`,
        applying,
        map(name, {}, { ownerReferences: times(n, owner) }),
      ),
  ),
  withDeployment(
    'apply: containers',
    3_000,
    (n, name) =>
      deployment(name, { containers: times(n, (at) => ({ name: `c${at}`, image: 'i' })) }),
    (n, path, name) =>
      patch(
        `${path}?fieldManager=a&force=true`,
        applying,
        deployment(name, { containers: times(n, (at) => ({ name: `c${n - at}`, image: 'j' })) }),
      ),
  ),
  withDeployment(
    'apply: one container again and again',
    12_000,
    (_, name) => deployment(name, podSpec()),
    (n, path, name) =>
      patch(
        `${path}?fieldManager=a`,
        applying,
        deployment(name, { containers: times(n, () => ({ name: 'c', image: 'j' })) }),
      ),
    500,
  ),
  withDeployment(
    'status: conditions',
    12_000,
    (_, name) => deployment(name, podSpec()),
    (n, path) =>
      patch(`${path}/status`, merging, {
        status: { conditions: times(n, (at) => ({ type: `t${at}`, status: 'True' })) },
      }),
  ),
  withDeployment(
    'scale among managers',
    9_000,
    (n, name) =>
      deployment(name, podSpec(), {
        managedFields: times(n, (at) => ({
          ...record(at, { 'f:spec': { 'f:replicas': {} } }),
          apiVersion: 'apps/v1',
        })),
      }),
    (_, path) => patch(`${path}/scale`, merging, { spec: { replicas: 3 } }),
  ),
]
