#!/bin/sh
# A Slurm cluster of one machine for tests, all of it in one folder: cluster.sh start FOLDER | stop FOLDER.
# Prints "SKIP: reason" and ends with 77 where Slurm is not installed or cannot run.
set -eu

PATH=$PATH:/usr/sbin:/sbin
folder=$2
conf=$folder/slurm.conf

skip() {
  echo "SKIP: $1"
  exit 77
}

# A daemon's process by the file that it wrote its number into.
stop_daemon() {
  [ ! -s "$folder/$1.pid" ] || kill "$(cat "$folder/$1.pid")" 2>/dev/null || :
}

configure() {
  mkdir -p "$folder/state" "$folder/spool"
  chmod 700 "$folder"
  # Ports that nobody else is likely to use, the same for one folder and different for another.
  port=$((20000 + $(printf '%s' "$folder" | cksum | cut -d ' ' -f 1) % 20000))
  cat >"$conf" <<CONF
ClusterName=ladder
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2
SlurmdParameters=config_overrides
GresTypes=gpu
MaxArraySize=2000
ReturnToService=2
MailProg=/bin/true
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=teaching Nodes=ALL MaxTime=INFINITE State=UP
CONF
  # A device that is nothing stands for the GPU: Slurm counts it and hands it out.
  echo "Name=gpu File=/dev/null" >"$folder/gres.conf"
}

start() {
  for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || skip "$program is not installed (apt install slurm-wlm munge)"
  done
  [ "$(id -u)" = 0 ] || skip "slurmd runs as root only"
  configure
  # munged wants a key and a folder that are its own.
  dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
  chmod 600 "$folder/munge.key"
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" 2>"$folder/munged.err" ||
    skip "munged does not start: $(tail -n 1 "$folder/munged.err")"
  slurmctld -c -f "$conf" || skip "slurmctld does not start: $(tail -n 1 "$folder/slurmctld.log")"
  slurmd -f "$conf" || skip "slurmd does not start: $(tail -n 1 "$folder/slurmd.log")"
  export SLURM_CONF="$conf"
  for _ in $(seq 60); do
    case $(sinfo --noheader --format=%T 2>/dev/null) in idle*) exit 0 ;; esac
    sleep 0.5
  done
  skip "the cluster's node does not become idle: $(tail -n 1 "$folder/slurmd.log")"
}

case ${1:-} in
  start) start ;;
  stop) for daemon in slurmd slurmctld munged; do stop_daemon $daemon; done ;;
  *)
    echo "usage: cluster.sh start FOLDER | stop FOLDER" >&2
    exit 2
    ;;
esac
