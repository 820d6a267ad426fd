import { servedVersion } from './resource-request.ts'

const verbs = ['get', 'list']

/** What a path of discovery is answered with; undefined for other paths. */
export function discoveryAt(path: string, groups: readonly string[]): object | undefined {
  if (path === '/apis') {
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupOf) }
  }
  const [, root, group = '', version, ...more] = path.split('/')
  if (root !== 'apis' || !groups.includes(group) || more.length > 0) return undefined
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) }
  return version === servedVersion ? resourcesOf(group) : undefined
}

function groupOf(name: string) {
  const version = { groupVersion: `${name}/${servedVersion}`, version: servedVersion }
  return { name, versions: [version], preferredVersion: version }
}

function resourcesOf(group: string): object {
  return {
    ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${servedVersion}` },
    resources: [
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs },
      { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
    ],
  }
}
