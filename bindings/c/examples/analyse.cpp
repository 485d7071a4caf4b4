// Multi-PV analysis, stopped by its callback and from another thread; an agent of limited strength.
#include <crownhead.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using Text = std::unique_ptr<char, decltype(&crownhead_string_free)>;

static std::string checked(char *text) {
    if (!text) throw std::runtime_error(crownhead_error());
    return Text(text, crownhead_string_free).get();
}

int main() {
    const crownhead_game game = crownhead_game_new("frisian", nullptr);
    const crownhead_agent agent = crownhead_agent_load("frisian,threads=2,hash=16");
    crownhead_limits limits{};
    limits.lines = 3;

    int n_reports = 0;
    const auto listen = [](const char *analysis, void *user) {
        std::cout << std::string(analysis).substr(0, 60) << "...\n";
        return ++*static_cast<int *>(user) < 4;
    };
    const std::string found = checked(crownhead_agent_analyse(agent, game, &limits, listen, &n_reports));
    if (n_reports < 4 || found.find("{\"lines\":[{\"moves\":[\"") != 0) return 1;

    std::thread stopper([agent] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        crownhead_agent_stop(agent);
    });
    checked(crownhead_agent_analyse(agent, game, nullptr, nullptr, nullptr));
    stopper.join();

    crownhead_value value{};
    if (!crownhead_agent_value(agent, game, &value) || value.win + value.draw + value.loss < 0.99f) return 2;
    double least = 0, most = 0;
    if (!crownhead_agent_elo_range(agent, &least, &most) || least >= most) return 3;
    const std::string middle = "frisian,elo=" + std::to_string((least + most) / 2);
    const crownhead_agent weak = crownhead_agent_load(middle.c_str());
    std::cout << middle << " plays " << checked(crownhead_agent_choose(weak, game, nullptr)) << "\n";
    crownhead_agent_close(weak);
    try {
        checked(crownhead_game_pdn(crownhead_game{0}, nullptr, nullptr));
        return 4;
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << "\nanalyse: stopped twice\n";
    }
    crownhead_agent_close(agent);
    crownhead_game_close(game);
}
