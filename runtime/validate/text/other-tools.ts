/** Documents that state an apiVersion and a kind and are read by programs of this machine: no server takes them. */
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'

/** The groups of command-line tools, of daemons' configuration in the public ecosystem, and of catalogues of software. */
const groups = [
  'audit.k8s.io',
  'backstage.io',
  'ctlptl.dev',
  'eksctl.io',
  'k3d.io',
  'kind.x-k8s.io',
  'kubeadm.k8s.io',
  'kustomize.config.k8s.io',
  'skaffold',
]

/** True for what a tool or a daemon is configured with, and for a file that says where servers are. */
export function isOfOtherTool(root: LocatedValue<TextRange>): boolean {
  const apiVersion = textAt(root, 'apiVersion')
  const group = apiVersion.slice(0, apiVersion.indexOf('/'))
  if (group.endsWith('.config.k8s.io') || groups.includes(group)) return true
  return apiVersion === 'v1' && textAt(root, 'kind') === 'Config'
}

function textAt(root: LocatedValue<TextRange>, path: string): string {
  const { node, complete } = followPath(root, path)
  return complete && node.is === 'scalar' && typeof node.value === 'string' ? node.value : ''
}
