import { CLOUD_CONFIG_AWK } from './cloud-config-script.ts';
import { FIRST_BOOT } from './first-boot-script.ts';

/** Line that the guest prints on its serial console when it is ready. */
export const READY_LINE = 'vimana-guest ready';

/** Script that BusyBox' acpid runs when the power button is pressed. */
const SHUTDOWN = '/etc/acpi/PWRF/00000080';

/** First process of the guest. */
const INIT = `#!/bin/sh
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /run /seed /var/log /var/www
ln -s /run /var/run
mount -t devpts devpts /dev/pts
for module in $(cat /modules/order); do insmod /modules/$module.ko; done
ip link set lo up
hostname vimana-guest
. /etc/first-boot
for card in /sys/class/net/eth*; do
  [ -e "$card" ] || continue
  ip link set "\${card##*/}" up
  udhcpc -b -i "\${card##*/}" -s /etc/udhcpc.sh -x hostname:"$(hostname)" >/dev/null 2>&1 &
done
acpid -l /dev/null
[ -e /var/www/index.html ] || echo "Hello from $(hostname)" >/var/www/index.html
httpd -p 80 -h /var/www
for port in /sys/class/virtio-ports/*; do
  [ "$(cat "$port/name" 2>/dev/null)" != org.qemu.guest_agent.0 ] ||
    qemu-ga -d -m virtio-serial -p "/dev/\${port##*/}" -t /run -l /var/log/qemu-ga.log
done
dropbearkey -t ed25519 -f /run/host-key >/dev/null 2>&1 && dropbear -s -r /run/host-key 2>/dev/null
echo '${READY_LINE}' >/dev/console
[ ! -x /run/user-data ] || /run/user-data >/dev/console 2>&1 &
while :; do
  cat /etc/issue
  setsid cttyhack sh -l
done
`;

const POWER_OFF = `#!/bin/sh
sync
poweroff -f
`;

const DHCP = `#!/bin/sh
case "$1" in
  bound|renew)
    ip addr flush dev "$interface"
    ip addr add "$ip/$mask" dev "$interface"
    for gateway in $router; do ip route add default via "$gateway" dev "$interface"; done
    : >/etc/resolv.conf
    for server in $dns; do echo "nameserver $server" >>/etc/resolv.conf; done
    ;;
esac
`;

const PROFILE = `export PS1='\\h:\\w# '
cd /root
`;

const BANNER = `
Vimana demo guest: BusyBox on Linux, built from Debian packages. You are root.
Everything is in memory and is lost when the VM stops. Port 22: SSH with keys. Port 80: HTTP.

`;

const OS_RELEASE = `ID=vimana-demo
NAME="Vimana demo guest"
PRETTY_NAME="Vimana demo guest (BusyBox, Debian kernel)"
VERSION_ID=1
`;

/** Files of the guest by path that are not executed. */
export const GUEST_TEXTS: Readonly<Record<string, string>> = {
  'etc/cloud-config.awk': CLOUD_CONFIG_AWK,
  'etc/first-boot': FIRST_BOOT,
  'etc/group': 'root:x:0:\n',
  'etc/issue': BANNER,
  'etc/os-release': OS_RELEASE,
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/profile': PROFILE,
  'etc/shells': '/bin/sh\n',
};

/** Scripts of the guest by path. */
export const GUEST_SCRIPTS: Readonly<Record<string, string>> = {
  init: INIT,
  [SHUTDOWN.slice(1)]: POWER_OFF,
  'etc/udhcpc.sh': DHCP,
  'sbin/shutdown': POWER_OFF,
};
