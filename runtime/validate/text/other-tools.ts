/** Documents that state an apiVersion and a kind and are read by programs of this machine: no server takes them. */
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

/** True for the version of what a tool or a daemon of others is configured with. */
export function isOfOtherTool(apiVersion: string): boolean {
  const group = apiVersion.slice(0, apiVersion.indexOf('/'))
  return group.endsWith('.config.k8s.io') || groups.includes(group)
}
