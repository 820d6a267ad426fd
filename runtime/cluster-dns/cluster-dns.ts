/**
 * Names of services: a name server for the domain of a cluster.
 *
 *  1. Names of services, of their ports, of endpoints with a name and of addresses are answered from what informers have, by version 1.1 of the
 *     specification of service discovery; everything else is passed on to the name servers of the machine.
 *  2. Names within the domain never leave it: one that is not there is answered so.
 *  3. What arrives may be anything: what cannot be read is dropped, and no answer is longer than its asker can take.
 */
export type { ClusterNames } from './contract/cluster-names.ts'
export { type ClusterDnsOptions, runClusterDns } from './running/run-cluster-dns.ts'
export { type DnsServer, type DnsServerOptions, serveDns } from './serving/dns-server.ts'
export { zoneAnswer } from './zone/zone-answer.ts'
