use dragontooth_runner_programs::{Isolation, ProgramCommand};

use crate::config::{Player, RunConfig};

/// The sentences about what cannot be guaranteed for the programs of an event on this system; none if everything
/// can.
pub(super) fn missing(config: &RunConfig) -> Vec<&'static str> {
    let programs = config.bots.iter().filter_map(|bot| match &bot.player {
        Player::Program(command) => Some(command),
        Player::Builtin { .. } | Player::Remote(_) => None,
    });
    let programs: Vec<&ProgramCommand> = programs.collect();
    if programs.is_empty() {
        return Vec::new();
    }
    missing_on(Isolation::of_this_system(), &programs)
}

fn missing_on(here: Isolation, programs: &[&ProgramCommand]) -> Vec<&'static str> {
    let mut missing = Vec::new();
    if here.cgroup {
        return missing;
    }
    if programs
        .iter()
        .any(|command| command.allowance.cpu_s.is_some())
    {
        missing.push(
            "no control group (cgroup v2) can be made here: processes that a program starts, does not wait for and \
             that soon end may use more processor time than cpu_s",
        );
    }
    if programs
        .iter()
        .any(|command| !(here.namespace && command.namespace))
    {
        missing.push(
            "neither a PID namespace nor a control group (cgroup v2) can be made here: if the supervisor of a program \
             is killed, a process of the program that hides may outlive it",
        );
    }
    missing
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn tells_what_no_means_of_the_kernel_holds() {
        let of = |keys: &str| {
            let text = format!(
                "[event]\nname = 'cup'\ngame = 'kamisado'\n[[bot]]\nname = 'a'\nbuiltin = 'random'\n\
                 [[bot]]\nname = 'b'\ncommand = ['/bin/sh']\n{keys}\n"
            );
            let config = RunConfig::parse(&text, Path::new(""), None).unwrap();
            let command = config.bots.iter().find_map(|bot| match &bot.player {
                Player::Program(command) => Some(command.clone()),
                Player::Builtin { .. } | Player::Remote(_) => None,
            });
            command.unwrap()
        };
        let [free, limited, outside] = ["", "cpu_s = 1", "namespace = false"].map(of);
        let told = |namespace, cgroup, command| {
            let here = Isolation { namespace, cgroup };
            missing_on(here, &[command]).len()
        };
        assert_eq!(told(true, true, &limited), 0);
        assert_eq!(told(false, true, &limited), 0);
        assert_eq!(told(true, false, &free), 0);
        assert_eq!(told(true, false, &limited), 1);
        assert_eq!(told(true, false, &outside), 1);
        assert_eq!(told(false, false, &free), 1);
        assert_eq!(told(false, false, &limited), 2);
    }
}
