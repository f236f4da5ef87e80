import { InvalidArgumentError, Option } from 'commander';
import { serviceRangeProblem } from '#platform/kube/service-range';

/** Returns the flag for the addresses of Services. */
export const serviceRangeOption = () =>
  new Option(
    '--service-cluster-ip-range <cidr>',
    'addresses of Services, such as 10.0.0.0/24; fixed for a data directory (default: 10.96.0.0/16)',
  ).argParser((text) => {
    const problem = serviceRangeProblem(text);
    if (problem !== undefined) throw new InvalidArgumentError(problem);
    return text;
  });
