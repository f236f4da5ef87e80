/** Line that the guest prints on its serial console when it is ready. */
export const READY_LINE = 'vimana-guest ready';

/** Script that BusyBox' acpid runs when the power button is pressed. */
const SHUTDOWN = '/etc/acpi/PWRF/00000080';

/**
 * First process of the guest. It reads a NoCloud seed as cloud-init would, but understands only a script as user data
 * and the host name of the meta data.
 */
const INIT = `#!/bin/sh
export PATH=/bin HOME=/root
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /run /seed /etc/acpi/PWRF
mount -t devpts devpts /dev/pts
for module in $(cat /modules/order); do insmod /modules/$module.ko; done
ip link set lo up
hostname vimana-guest
for disk in /dev/vd* /dev/sr*; do
  # The volume name of an ISO 9660 file system is at this offset.
  [ "$(dd if="$disk" bs=1 skip=32808 count=6 2>/dev/null | tr A-Z a-z)" = cidata ] || continue
  mount -t iso9660 -o ro "$disk" /seed || continue
  # The meta data is YAML or, which is YAML as well, JSON.
  name=$(sed -n 's/.*local-hostname"\\{0,1\\}: *"\\{0,1\\}\\([A-Za-z0-9.-]*\\).*/\\1/p' /seed/meta-data)
  [ -z "$name" ] || hostname "$name"
  break
done
for card in /sys/class/net/eth*; do
  [ -e "$card" ] || continue
  ip link set "\${card##*/}" up
  udhcpc -b -i "\${card##*/}" -s /etc/udhcpc.sh -x hostname:"$(hostname)" >/dev/null 2>&1 &
done
acpid -l /dev/null
[ ! -x /usr/sbin/qemu-ga ] || /usr/sbin/qemu-ga -d -m virtio-serial -p /dev/vport0p1 2>/dev/null
echo '${READY_LINE}' >/dev/console
if head -c 2 /seed/user-data 2>/dev/null | grep -q '#!'; then
  cp /seed/user-data /run/user-data && chmod 700 /run/user-data && /run/user-data >/dev/console 2>&1 &
fi
while :; do setsid cttyhack sh -l; done
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

/** Scripts of the guest by path. */
export const GUEST_SCRIPTS: Readonly<Record<string, string>> = {
  init: INIT,
  [SHUTDOWN.slice(1)]: POWER_OFF,
  'etc/udhcpc.sh': DHCP,
  'etc/profile': PROFILE,
};
